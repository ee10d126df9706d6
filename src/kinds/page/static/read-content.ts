import type { CheerioAPI } from "cheerio/slim";
import type { SectionContent } from "../layout/layout.ts";

type Part = ReturnType<CheerioAPI>;

/** The beginning of what a section says, in its order; addresses are as they are written. */
export function readContent($: CheerioAPI, section: Part): SectionContent {
  const first = <Item>(selector: string, max: number, read: (part: Part, tag: string) => Item): Item[] =>
    section
      .find(selector)
      .toArray()
      .slice(0, max)
      .map((element) => read($(element), element.tagName));
  return {
    headings: first("h1, h2, h3, h4, h5, h6", 10, (part, tag) => ({
      level: Number(tag.charAt(1)),
      text: textOf(part, 200),
    })),
    paragraphs: first("p", 10, (part) => textOf(part, 300)),
    links: first("a[href]", 15, (part) => ({ text: textOf(part, 100), href: attribute(part, "href") ?? "" })),
    images: first("img", 10, (part) => {
      const alt = attribute(part, "alt");
      return { src: attribute(part, "src") ?? "", ...(alt === undefined ? {} : { alt }) };
    }),
    buttons: first("button, [role=button], input[type=submit]", 10, (part, tag) => ({
      text: textOf(part, 100) || (attribute(part, "value") ?? ""),
      type: attribute(part, "type") ?? tag,
    })),
  };
}

function attribute(part: Part, name: string): string | undefined {
  return part.attr(name)?.slice(0, 500);
}

function textOf(part: Part, max: number): string {
  return part.text().replace(/\s+/g, " ").trim().slice(0, max);
}
