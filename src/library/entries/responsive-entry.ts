import type { KeptPage } from "../../kinds/page/contract.ts";
import { level, toVector } from "../features.ts";
import type { Entry } from "../library.ts";
import { entryId } from "./entry-id.ts";

const maxTextLength = 6_000;

/** How a page changes with the window; none where that was not looked at. */
export function responsiveEntry({ id, analysis }: KeptPage): Entry[] {
  const { responsive, phases } = analysis;
  if (responsive === undefined) return [];
  const { viewports, differences, breakpoints, problems } = responsive;
  const of = (category: string): number => differences.filter((difference) => difference.category === category).length;
  const lines = [
    ...differences.map(({ category, element, description }) => `${category}: ${element} ${description}`),
    ...problems.map(({ message }) => message),
  ];
  return [
    {
      id: entryId(id, "responsive", 0),
      kind: "responsive",
      type: "responsive",
      title: analysis.page.title,
      text: lines.join("\n").slice(0, maxTextLength),
      vector: toVector({
        narrow_hides: level(of("visibility"), 10),
        narrow_restacks: level(of("layout"), 10),
        narrow_menu: level(of("navigation"), 2),
        narrow_text: level(of("typography"), 10),
        overflow: problems.some(({ code }) => code === "horizontal_overflow") ? 1 : 0,
      }),
      facts: {
        viewports: viewports.map(({ name, width, height }) => ({ name, width, height })),
        categories: [...new Set(differences.map(({ category }) => category))],
        pairs: [...new Set(differences.map(({ from, to }) => `${from}-${to}`))],
        differences: differences.length,
        breakpoints: [...breakpoints],
        problems: [...new Set(problems.map(({ code }) => code))],
        analysis_ms: phases.find(({ name }) => name === "responsive")?.ms ?? 0,
      },
    },
  ];
}
