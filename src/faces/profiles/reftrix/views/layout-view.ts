import type { PageAnalysis } from "../../../../kinds/page/contract.ts";
import { partId } from "../part-id.ts";
import { viewCssVariables } from "./css-variables.ts";
import { cut, type Extent, type Found, type View } from "./extent.ts";
import { viewVisualFeatures } from "./visual-features.ts";

type Layout = Found<"layout">;

export function viewLayout(layout: Layout, { analyzedAt }: PageAnalysis, pageId: string, extent: Extent): View {
  return {
    pageId,
    sectionCount: layout.sections.length,
    sectionTypes: countTypes(layout),
    cssFramework: viewFramework(layout),
    ...(extent.form === "short" ? {} : { sections: cut(layout.sections, 10, extent).map(viewSection(pageId)) }),
    visualFeatures: viewVisualFeatures(layout, analyzedAt),
    cssVariables: viewCssVariables(layout, extent),
  };
}

function viewSection(pageId: string): (section: Layout["sections"][number]) => View {
  return ({ id, type, position, heading, confidence }) => ({
    id: partId(pageId, id),
    type: sectionWord(type),
    positionIndex: position,
    ...(heading === "" ? {} : { heading }),
    confidence,
  });
}

const sectionWords: ReadonlySet<string> = new Set([
  ...["hero", "feature", "cta", "testimonial", "pricing", "footer", "navigation", "about", "contact", "gallery"],
  ...["partners", "portfolio", "team", "stories", "research", "subscribe", "stats", "faq"],
]);

function sectionWord(type: string): string {
  return sectionWords.has(type) ? type : "unknown";
}

function countTypes({ sections }: Layout): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of sections) counts[sectionWord(type)] = (counts[sectionWord(type)] ?? 0) + 1;
  return counts;
}

const frameworks: ReadonlySet<string> = new Set([
  ...["tailwind", "bootstrap", "css_modules", "styled_components", "vanilla", "unknown"],
  ...["webflow", "jquery_ui", "squarespace", "framer", "elementor", "wix"],
]);

/** One that Reftrix has no word for is unknown to it, and named in the evidence. */
function frameworkWord(name: string): string {
  const word = name.replace("-", "_");
  return frameworks.has(word) ? word : "unknown";
}

function viewFramework({ framework: { framework, confidence, evidence, secondary }, variables }: Layout): View {
  const word = frameworkWord(framework);
  const others = [...new Set(secondary.map(frameworkWord))];
  const hasVariables = variables.list.length > 0;
  return {
    framework: word,
    confidence,
    evidence: word === "unknown" ? [`It is ${framework}.`, ...evidence] : evidence,
    ...(secondary.length === 0
      ? {}
      : {
          composite: {
            primary: word,
            secondary: others,
            confidenceMap: { [word]: confidence },
            hasCssVariables: hasVariables,
            cssVariablesConfidence: hasVariables ? 1 : 0,
          },
        }),
  };
}
