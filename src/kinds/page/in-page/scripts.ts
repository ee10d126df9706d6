import type { PageFacts } from "../facts.ts";
import { collectContent } from "./collect-content.ts";
import { collectCss } from "./collect-css.ts";
import { collectDocument } from "./collect-document.ts";
import { collectMotion } from "./collect-motion.ts";
import { collectSections } from "./collect-sections.ts";
import { collectStyles } from "./collect-styles.ts";
import { createKit } from "./kit.ts";

/** A script and the type of what it evaluates to. */
export type PageScript<Result> = string & { readonly result?: Result };

/** Most elements that are looked at one by one; a page with more is judged by its beginning. */
const mostElements = 5_000;

/** All of the page in one round trip. */
export function collectScript(sheetTexts: Readonly<Record<string, string>>): PageScript<PageFacts> {
  return `(async () => {
const kit = (${String(createKit)})(${mostElements});
return {
  document: (${String(collectDocument)})(kit),
  ...(${String(collectSections)})(kit),
  styles: (${String(collectStyles)})(kit),
  css: (${String(collectCss)})(${JSON.stringify(sheetTexts)}),
  motion: await (${String(collectMotion)})(kit),
  content: (${String(collectContent)})(kit),
};
})()`;
}
