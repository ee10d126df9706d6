/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { PageFacts, SectionFacts } from "../facts.ts";
import type { SectionContent } from "../layout/layout.ts";
import type { Kit } from "./kit.ts";
import type { PagePart } from "./split-page.ts";

export const sectionFunctions = [
  collectSections,
  describeSection,
  readSectionContent,
  gather,
  selectorOfPart,
  countContents,
  measureText,
  repeatedIn,
  namesOf,
  collectLandmarks,
  landmarkRoles,
  countPrices,
];

/** The parts of the page from its top to its end. */
export function collectSections(parts: readonly PagePart[], kit: Kit): Pick<PageFacts, "sections" | "landmarks"> {
  return { sections: parts.map((part) => describeSection(part, kit)), landmarks: collectLandmarks(kit) };
}

function namesOf(element: Element): string {
  const data = ["data-section", "data-component", "data-block"].map((name) => element.getAttribute(name) ?? "");
  return [element.getAttribute("class") ?? "", element.id, ...data].join(" ");
}

function describeSection(part: PagePart, kit: Kit): SectionFacts {
  const element = gather(part.elements);
  const { style } = kit.look(part.elements[0] ?? document.body);
  const text = kit.textOf(element, 3_000);
  const heading = element.querySelector("h1, h2, h3, h4, h5, h6");
  const names = namesOf(element)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  const words = new Set(names.split(/[^a-z0-9]+/).filter((word) => word !== ""));
  return {
    selector: selectorOfPart(part, kit),
    tag: element.localName,
    role: element.getAttribute("role") ?? "",
    words: [...words].slice(0, 40),
    heading: heading === null ? "" : kit.textOf(heading, 200),
    ...countContents(element),
    ...measureText(element),
    prices: countPrices(text),
    text,
    left: Math.round(part.left),
    top: Math.round(part.top),
    height: Math.round(part.bottom - part.top),
    width: Math.round(part.right - part.left),
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
      // One that runs something when it is followed must not go on into what is made of this.
      href:
        /^(https?|mailto|tel):/i.exec((link as HTMLAnchorElement).href) === null
          ? ""
          : (link as HTMLAnchorElement).href.slice(0, 500),
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

/** Siblings are looked at as one, in a document of their own, where nothing is loaded or run. */
function gather(elements: readonly Element[]): Element {
  const [first] = elements;
  if (first !== undefined && elements.length === 1) return first;
  const inert = document.implementation.createHTMLDocument("");
  const whole = inert.createElement("div");
  for (const element of elements.slice(0, 200)) whole.append(inert.importNode(element, true));
  return whole;
}

function selectorOfPart({ elements }: PagePart, kit: Kit): string {
  const [first, last] = [elements[0], elements.at(-1)];
  const parent = first?.parentElement;
  if (first === undefined || last === undefined || parent === null || parent === undefined) return "";
  if (first === last) return kit.selectorOf(first);
  const siblings = [...parent.children];
  const [from, to] = [siblings.indexOf(first) + 1, siblings.indexOf(last) + 1];
  return `${kit.selectorOf(parent)} > :nth-child(n+${from}):nth-child(-n+${to})`;
}

function measureText(element: Element): Pick<SectionFacts, "characters" | "linkCharacters" | "proseCharacters"> {
  const lengthOf = (selector: string): number =>
    [...element.querySelectorAll(selector)]
      .slice(0, 500)
      .reduce((sum, { textContent }) => sum + (textContent ?? "").trim().length, 0);
  return {
    characters: (element.textContent ?? "").replace(/\s+/g, " ").trim().length,
    linkCharacters: lengthOf("a[href]"),
    proseCharacters: lengthOf("p"),
  };
}

function countContents(
  element: Element,
): Omit<
  SectionFacts,
  | ("selector" | "tag" | "role" | "words" | "heading" | "prices" | "text" | "left" | "top" | "height" | "width")
  | ("characters" | "linkCharacters" | "proseCharacters")
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
