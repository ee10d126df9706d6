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
import { loadingFunctions, type LoadingFacts } from "./collect-loading.ts";
import { locateFunctions, type Located } from "./locate-elements.ts";
import type { MainWorld } from "./read-main-world.ts";
import { uniqueSelector } from "./unique-selector.ts";
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

/** Most pictures and elements that are looked at for how the page loads. */
const [maxImages, maxNodes] = [300, 200_000];

export function loadingScript(): PageScript<LoadingFacts> {
  return `(() => {\n${loadingFunctions.map(String).join("\n")}\nreturn collectLoading(${String(uniqueSelector)}, ${maxImages}, ${maxNodes});\n})()`;
}

export function locateScript(selectors: readonly string[]): PageScript<Located[]> {
  return `(() => {\n${locateFunctions.map(String).join("\n")}\nreturn locateElements(${JSON.stringify(selectors)});\n})()`;
}

export function watchScript(): string {
  return `(() => {\n${watchFunctions.map(String).join("\n")}\nwatchPage(${String(uniqueSelector)});\n})()`;
}
