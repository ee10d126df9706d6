/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { PageFacts, SectionFacts } from "../facts.ts";
import type { SectionContent } from "../layout/layout.ts";
import type { Kit } from "./kit.ts";

export const sectionFunctions = [
  collectSections,
  findSections,
  isSectionCandidate,
  isOpenedUp,
  describeSection,
  readSectionContent,
  countContents,
  repeatedIn,
  namesOf,
  collectLandmarks,
  landmarkRoles,
  countPrices,
];

/** Parts of the page that may be sections: landmarks, semantic elements, and wide blocks that are named like one. */
export function collectSections(kit: Kit): Pick<PageFacts, "sections" | "landmarks"> {
  const chosen: Element[] = [];
  if (document.body !== null) findSections(document.body, 0, kit, { chosen, left: 3_000 });
  return { sections: chosen.map((element) => describeSection(element, kit)), landmarks: collectLandmarks(kit) };
}

/** `left` is how many elements may still be looked at. */
function findSections(parent: Element, depth: number, kit: Kit, search: { chosen: Element[]; left: number }): void {
  for (const child of parent.children) {
    if (search.chosen.length >= 200 || search.left-- <= 0) return;
    const isEmpty = child.children.length === 0 && !kit.look(child).isVisible;
    if (isEmpty) continue;
    if (isSectionCandidate(child, kit) && !isOpenedUp(child)) search.chosen.push(child);
    else if (depth < 12) findSections(child, depth + 1, kit, search);
  }
}

function isSectionCandidate(element: Element, kit: Kit): boolean {
  const named =
    /(^|[-_\s])(hero|banner|jumbotron|features?|services|benefits|cta|call-to-action|testimonials?|reviews?|pricing|plans?|about|contact|gallery|portfolio|work|team|people|partners?|clients|logos|faq|questions|stats?|numbers|metrics|newsletter|subscribe|signup|stories|blog|news|research|publications|section|block|footer|nav|navbar|header)([-_\s]|$)/i;
  if (/^(header|nav|section|article|aside|footer)$/.test(element.localName)) return true;
  const role = element.getAttribute("role") ?? "";
  if (/^(banner|navigation|contentinfo|complementary|region)$/.test(role)) return true;
  return (
    element.localName === "div" && named.test(namesOf(element)) && kit.look(element).rect.width >= innerWidth * 0.5
  );
}

/** It holds sections rather than being one. */
function isOpenedUp(element: Element): boolean {
  if (/^(main|article)$/.test(element.localName) && element.querySelector("section, header, footer") !== null)
    return true;
  return element.localName === "div" && element.querySelectorAll("section, header, footer, nav").length > 1;
}

function namesOf(element: Element): string {
  const data = ["data-section", "data-component", "data-block"].map((name) => element.getAttribute(name) ?? "");
  return [element.getAttribute("class") ?? "", element.id, ...data].join(" ");
}

function describeSection(element: Element, kit: Kit): SectionFacts {
  const { rect, style } = kit.look(element);
  const text = kit.textOf(element, 3_000);
  const heading = element.querySelector("h1, h2, h3, h4, h5, h6");
  const names = namesOf(element)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  const words = new Set(names.split(/[^a-z0-9]+/).filter((word) => word !== ""));
  return {
    selector: kit.selectorOf(element),
    tag: element.localName,
    role: element.getAttribute("role") ?? "",
    words: [...words].slice(0, 40),
    heading: heading === null ? "" : kit.textOf(heading, 200),
    ...countContents(element),
    prices: countPrices(text),
    text,
    top: Math.round(rect.top + scrollY),
    height: Math.round(rect.height),
    width: Math.round(rect.width),
    background: kit.hex(style.backgroundColor),
    color: kit.hex(style.color),
    hasGradient: style.backgroundImage.includes("gradient("),
    hasBackgroundImage: style.backgroundImage.includes("url("),
    content: readSectionContent(element, kit),
  };
}

/** The beginning of what a section says, in its order. */
function readSectionContent(section: Element, kit: Kit): SectionContent {
  const first = (selector: string, max: number): HTMLElement[] =>
    [...section.querySelectorAll<HTMLElement>(selector)].slice(0, max);
  return {
    headings: first("h1, h2, h3, h4, h5, h6", 10).map((heading) => ({
      level: Number(heading.localName.charAt(1)),
      text: kit.textOf(heading, 200),
    })),
    paragraphs: first("p", 10).map((paragraph) => kit.textOf(paragraph, 300)),
    links: first("a[href]", 15).map((link) => ({
      text: kit.textOf(link, 100),
      href: (link as HTMLAnchorElement).href.slice(0, 500),
    })),
    images: first("img", 10).map((image) => {
      const alt = image.getAttribute("alt");
      const { currentSrc, src } = image as HTMLImageElement;
      return { src: (currentSrc || src).slice(0, 500), ...(alt === null ? {} : { alt: alt.slice(0, 200) }) };
    }),
    buttons: first("button, [role=button], input[type=submit]", 10).map((button) => ({
      text: kit.textOf(button, 100) || (button.getAttribute("value") ?? "").slice(0, 100),
      type: (button.getAttribute("type") ?? button.localName).slice(0, 30),
    })),
  };
}

function countContents(
  element: Element,
): Omit<
  SectionFacts,
  | ("selector" | "tag" | "role" | "words" | "heading" | "prices" | "text" | "top" | "height" | "width")
  | ("background" | "color" | "hasGradient" | "hasBackgroundImage" | "content")
> {
  const count = (selector: string): number => element.querySelectorAll(selector).length;
  const figure = /^[<>~+]?\s?[\d.,]+\s?[%kKmMxX+]*\+?$/;
  const leaves = [...element.querySelectorAll("*")].filter((child) => child.children.length === 0);
  const fields = [...element.querySelectorAll<HTMLInputElement>("input, textarea, select")].slice(0, 30);
  return {
    headings: count("h1, h2, h3, h4, h5, h6"),
    hasTopHeading: count("h1") > 0,
    paragraphs: count("p"),
    links: count("a[href]"),
    images: count("img, svg[role=img]"),
    buttons: count(
      'button, [role=button], input[type=submit], a[class*="btn" i], a[class*="button" i], a[class*="cta" i]',
    ),
    quotes: count("blockquote"),
    details: count("details, [aria-expanded]"),
    bigNumbers: leaves.filter((leaf) => figure.test((leaf.textContent ?? "").trim())).length,
    fields: fields.map((field) => field.type),
    repeated: repeatedIn(element),
  };
}

/** The most children of one parent that look alike. */
function repeatedIn(element: Element): number {
  let max = 0;
  for (const list of [element, ...element.querySelectorAll("div, ul, ol, section")].slice(0, 60)) {
    const shapes = new Map<string, number>();
    for (const child of list.children) {
      const shape = `${child.localName}.${child.classList[0] ?? ""}`;
      if (child.children.length > 0 || child.localName === "li") shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    }
    max = Math.max(max, ...shapes.values());
  }
  return max;
}

function collectLandmarks(kit: Kit): PageFacts["landmarks"] {
  const roles = landmarkRoles();
  const known = new Set(Object.values(roles));
  const candidates = document.querySelectorAll("header, nav, main, aside, footer, search, form[aria-label], [role]");
  const found = [...candidates].slice(0, 300).flatMap((element) => {
    const given = element.getAttribute("role");
    const isInner = element.closest("article, section, main, aside, nav") !== null;
    // A header or footer of a part of the page is no landmark of the page.
    if (given === null && /^(header|footer)$/.test(element.localName) && isInner) return [];
    const role = given ?? roles[element.localName] ?? "";
    const label = (element.getAttribute("aria-label") ?? "").slice(0, 100);
    return known.has(role) ? [{ role, label, selector: kit.selectorOf(element) }] : [];
  });
  return found.slice(0, 50);
}

export function landmarkRoles(): Record<string, string> {
  return {
    header: "banner",
    nav: "navigation",
    main: "main",
    aside: "complementary",
    footer: "contentinfo",
    form: "form",
    search: "search",
  };
}

export function countPrices(text: string): number {
  return (text.match(/[$€£¥]\s?\d|\d+\s?(?:€|usd|eur|\/\s?mo)/gi) ?? []).length;
}
