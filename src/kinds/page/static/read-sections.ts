import type { PageFacts, SectionFacts } from "../facts.ts";
import { countPrices, landmarkRoles } from "../in-page/collect-sections.ts";
import { attributeOf, type ElementList, type PageElement } from "./element-list.ts";
import { readContent } from "./read-content.ts";
import type { PageScan } from "./scan-page.ts";

/** Nothing is laid out, so this is what a page is taken to be as wide as. */
export const widthWithoutBrowser = 1_440;

const maxSections = 200;
const maxMeasured = 1_000;
const maxCharacters = 100_000;

/** The parts of the page from its top to its end; an article that consists of sections is none itself. */
export function readSections(scan: PageScan, base: string): SectionFacts[] {
  const isWhole = (part: PageElement): boolean =>
    !/^(main|article)$/.test(part.name) || scan.sections.countIn(part) === 0;
  let top = 0;
  return scan.parts
    .filter(isWhole)
    .slice(0, maxSections)
    .map((part, index) => {
      const section = toSection(scan, part, index, top, base);
      top += section.height;
      return section;
    });
}

export function readLandmarks(scan: PageScan): PageFacts["landmarks"] {
  const roles = landmarkRoles();
  return scan.landmarks.all.slice(0, 50).map((element) => ({
    role: roles[element.name] ?? "",
    label: attributeOf(element, "aria-label", 100) ?? "",
    selector: element.name,
  }));
}

function toSection(scan: PageScan, part: PageElement, index: number, top: number, base: string): SectionFacts {
  const count = (list: ElementList): number => list.countIn(part);
  const text = scan.text.read(part, 3_000);
  const id = attributeOf(part, "id", 200);
  const content = readContent(scan, part, base);
  return {
    selector: id === undefined ? `${part.name}:nth-of-type(${index + 1})` : `#${id}`,
    tag: part.name,
    role: attributeOf(part, "role", 100) ?? "",
    words: wordsOf(part),
    heading: content.headings[0]?.text ?? "",
    ...countContents(scan, part),
    prices: countPrices(text),
    text,
    characters: scan.text.read(part, maxCharacters).length,
    linkCharacters: charactersIn(scan, scan.links, part),
    proseCharacters: charactersIn(scan, scan.paragraphs, part),
    left: 0,
    top,
    height: Math.max(
      50,
      40 * count(scan.headings) + 60 * count(scan.paragraphs) + 200 * count(scan.images) + 40 * count(scan.calls),
    ),
    width: widthWithoutBrowser,
    background: "",
    color: "",
    hasGradient: false,
    hasBackgroundImage: false,
    content,
  };
}

type Counts = Pick<
  SectionFacts,
  | ("headings" | "hasTopHeading" | "paragraphs" | "links" | "images" | "buttons")
  | ("quotes" | "details" | "bigNumbers" | "fields" | "repeated")
>;

function countContents(scan: PageScan, part: PageElement): Counts {
  const count = (list: ElementList): number => list.countIn(part);
  return {
    headings: count(scan.headings),
    hasTopHeading: scan.headings.firstIn(part, maxMeasured).some(({ name }) => name === "h1"),
    paragraphs: count(scan.paragraphs),
    links: count(scan.links),
    images: count(scan.images),
    buttons: count(scan.calls),
    quotes: count(scan.quotes),
    details: count(scan.details),
    bigNumbers: 0,
    fields: scan.fields.firstIn(part, 30).map(typeOfField),
    repeated: Math.max(count(scan.items), count(scan.articles)),
  };
}

function typeOfField(field: PageElement): string {
  return field.name === "textarea" ? "textarea" : (attributeOf(field, "type", 30) ?? "text");
}

function wordsOf(part: PageElement): string[] {
  return `${attributeOf(part, "class") ?? ""} ${attributeOf(part, "id") ?? ""}`
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .slice(0, 40);
}

function charactersIn(scan: PageScan, list: ElementList, part: PageElement): number {
  const sum = list
    .firstIn(part, maxMeasured)
    .reduce((length, element) => length + scan.text.read(element, maxCharacters).length, 0);
  return Math.min(sum, maxCharacters);
}
