import type { PageFacts } from "../facts.ts";
import { contentFunctions } from "./collect-content.ts";
import { cssFunctions } from "./collect-css.ts";
import { documentFunctions } from "./collect-document.ts";
import { matchFunctions } from "./match-selectors.ts";
import { motionFunctions } from "./collect-motion.ts";
import { sectionFunctions } from "./collect-sections.ts";
import { splitFunctions } from "./split-page.ts";
import { styleFunctions } from "./collect-styles.ts";
import { viewportFunctions, type ViewportFacts } from "./collect-viewport.ts";
import { kitFunctions } from "./kit.ts";
import type { MainWorld } from "./read-main-world.ts";
import { vitalsFunctions, watchFunctions, type Vitals } from "./watch-page.ts";

/** A script and the type of what it evaluates to. */
export type PageScript<Result> = string & { readonly result?: Result };

/** Most elements that are looked at one by one; a page with more is judged by its beginning. */
const maxElements = 5_000;

/** Most time for looking which rules that move things are for anything on the page. */
const maxMatchMs = 1_000;

const collectors = [
  ...kitFunctions,
  ...documentFunctions,
  ...splitFunctions,
  ...sectionFunctions,
  ...styleFunctions,
  ...cssFunctions,
  ...matchFunctions,
  ...motionFunctions,
  ...contentFunctions,
];

/** All of the page in one round trip. */
export function collectScript(main: MainWorld, sheetTexts: Readonly<Record<string, string>>): PageScript<PageFacts> {
  return `(async () => {
${collectors.map(String).join("\n")}
const main = ${JSON.stringify(main)};
const kit = createKit(${maxElements});
return {
  document: collectDocument(kit, main),
  ...collectSections(splitPage(kit), kit),
  styles: collectStyles(kit),
  css: collectCss(${JSON.stringify(sheetTexts)}, createMatcher(${maxMatchMs})),
  content: collectContent(kit),
  motion: await collectMotion(kit, main),
};
})()`;
}

export function viewportScript(): PageScript<ViewportFacts> {
  return `(() => {\n${viewportFunctions.map(String).join("\n")}\nreturn collectViewport(${maxElements});\n})()`;
}

export function vitalsScript(main: MainWorld): PageScript<Vitals> {
  return `(() => {\n${vitalsFunctions.map(String).join("\n")}\nreturn readVitals(${JSON.stringify(main.watched)});\n})()`;
}

export function watchScript(): string {
  return `(() => {\n${watchFunctions.map(String).join("\n")}\nwatchPage();\n})()`;
}
