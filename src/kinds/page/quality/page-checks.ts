import type { ImageFacts, PageFacts } from "../facts.ts";
import { found } from "./findings.ts";
import type { Finding } from "./quality.ts";

/** What the document itself shows: for search engines, and for whoever maintains it. What axe has a rule for is left to axe. */
export function checkPage(facts: PageFacts): Finding[] {
  return [...checkSearch(facts), ...checkImages(facts), ...checkPractice(facts)].filter((item) => item !== false);
}

/** The rules of axe that its HTML alone can answer, under the same names, for a page that axe cannot look at. */
export function checkWithoutAxe({ document: { title, headings, language } }: PageFacts): Finding[] {
  const skip = headings.find(({ level }, index) => level - (headings[index - 1]?.level ?? level) > 1);
  const checks: Checks = [
    title === "" && found("a11y-document-title", "no <title>"),
    language === "" && found("a11y-html-has-lang", "no <html lang>"),
    !headings.some(({ level }) => level === 1) && found("a11y-page-has-heading-one", "no <h1>"),
    skip !== undefined && found("a11y-heading-order", `before "${skip.text.slice(0, 80)}" (h${skip.level})`),
  ];
  return checks.filter((item) => item !== false);
}

type Checks = readonly (Finding | false)[];

function checkSearch({ document, content }: PageFacts): Checks {
  const { title, description, robotsMeta, headings } = document;
  const topHeadings = headings.filter(({ level }) => level === 1).length;
  const vague = content.links.filter(({ text }) => /^(click here|here|read more|more|link)$/i.test(text.trim()));
  return [
    title.length > 70 && found("title-long", `${title.length} characters`),
    description === "" && found("description-missing", 'no <meta name="description">'),
    /noindex/i.test(robotsMeta) && found("noindex", robotsMeta),
    document.viewportMeta === "" && found("viewport-missing", 'no <meta name="viewport">'),
    topHeadings > 1 && found("heading-many", `${topHeadings} <h1>`, { count: topHeadings }),
    vague.length > 0 && found("link-text", `"${vague[0]?.text ?? ""}"`, of(vague)),
  ];
}

function checkImages({ content: { images } }: PageFacts): Checks {
  const broken = images.filter(({ isBroken }) => isBroken);
  const unsized = images.filter(({ hasSize, isBroken }) => !hasSize && !isBroken);
  const oversized = images.filter(
    ({ width, naturalWidth }) => width > 0 && naturalWidth > width * 2.5 && naturalWidth > 600,
  );
  const eager = images.filter(({ isBelowFold, isLazy }) => isBelowFold && !isLazy);
  const sources = broken.map(({ source }) => source);
  const sizes = oversized.map(({ naturalWidth, width }) => `${naturalWidth} px shown at ${width} px`);
  return [
    broken.length > 0 && found("image-broken", sources.slice(0, 3).join(" "), of(broken)),
    unsized.length > 0 && found("image-unsized", `${unsized.length} without width and height`, of(unsized)),
    oversized.length > 0 && found("image-oversized", sizes.slice(0, 3).join(", "), of(oversized)),
    eager.length > 2 && found("image-eager", `${eager.length} without loading=lazy`, of(eager)),
  ];
}

function checkPractice({ document, content: { insecure, scripts, inlineHandlers }, css }: PageFacts): Checks {
  const slow = css.fontFaces.filter(({ display }) => display === "" || display === "auto" || display === "block");
  const families = slow.map(({ family }) => family);
  const blocking = `${scripts.blocking} in the head without defer or async`;
  const handlers = `${inlineHandlers} attributes such as onclick`;
  return [
    !document.hasDoctype && found("doctype-missing", "no <!doctype html>"),
    insecure.length > 0 && found("mixed-content", insecure[0] ?? "", { count: insecure.length }),
    scripts.blocking > 0 && found("script-blocking", blocking, { count: scripts.blocking }),
    inlineHandlers > 5 && found("inline-handlers", handlers, { count: inlineHandlers }),
    slow.length > 0 && found("font-display", families.slice(0, 3).join(", "), { count: slow.length }),
    document.elements > 5_000 && found("dom-size", `${document.elements} elements`),
  ];
}

function of(list: readonly Pick<ImageFacts, "selector" | "box">[]): Pick<Finding, "count" | "selectors" | "boxes"> {
  return { count: list.length, selectors: list.map(({ selector }) => selector), boxes: list.map(({ box }) => box) };
}
