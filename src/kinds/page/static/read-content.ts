import { parseUrl } from "../../../job/parse-url.ts";
import type { SectionContent } from "../layout/layout.ts";
import { attributeOf, type ElementList, type PageElement } from "./element-list.ts";
import type { PageScan } from "./scan-page.ts";

/** The beginning of what a section says, in its order; addresses are as they are written. */
export function readContent(scan: PageScan, section: PageElement, base: string): SectionContent {
  const first = <Item>(list: ElementList, max: number, read: (element: PageElement) => Item): Item[] =>
    list.firstIn(section, max).map(read);
  const textOf = (element: PageElement, max: number): string => scan.text.read(element, max);
  return {
    headings: first(scan.headings, 10, (heading) => ({
      level: Number(heading.name.charAt(1)),
      text: textOf(heading, 200),
    })),
    paragraphs: first(scan.paragraphs, 10, (paragraph) => textOf(paragraph, 300)),
    links: first(scan.links, 15, (link) => ({
      text: textOf(link, 100),
      href: harmless(attributeOf(link, "href") ?? "", base),
    })),
    images: first(scan.images, 10, (image) => {
      const alt = attributeOf(image, "alt");
      return { src: attributeOf(image, "src") ?? "", ...(alt === undefined ? {} : { alt }) };
    }),
    buttons: first(scan.buttons, 10, (button) => ({
      text: textOf(button, 100) || (attributeOf(button, "value") ?? ""),
      type: attributeOf(button, "type") ?? button.name,
    })),
  };
}

/** One that runs something when it is followed must not go on into what is made of this. */
function harmless(href: string, base: string): string {
  const protocol = parseUrl(href, base)?.protocol;
  return protocol === undefined || /^(https?|mailto|tel):$/.test(protocol) ? href : "";
}
