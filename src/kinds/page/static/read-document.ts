import { parseUrl } from "../../../job/parse-url.ts";
import type { ContentFacts, CssFacts, DocumentFacts, PageFacts } from "../facts.ts";
import { libraryFiles } from "../in-page/collect-motion.ts";
import { readHex } from "../layout/color.ts";
import { attributeOf, type PageElement } from "./element-list.ts";
import { readLandmarks, readSections, widthWithoutBrowser } from "./read-sections.ts";
import type { PageScan } from "./scan-page.ts";

const longestUrl = 2_000;

/** Facts from the HTML alone. Places are estimated, because nothing was laid out; what only drawing tells is left empty. */
export function readDocument(scan: PageScan, base: string, hasDoctype: boolean, css: CssFacts): PageFacts {
  const sections = readSections(scan, base);
  const height = sections.reduce((sum, section) => sum + section.height, 0);
  return {
    document: readFacts(scan, base, hasDoctype, height),
    sections,
    landmarks: readLandmarks(scan),
    styles: {
      painted: [],
      texts: [],
      backgrounds: readColors(css),
      borders: [],
      gradients: [],
      backgroundKinds: {},
      containers: [],
      radii: [],
      shadows: [],
    },
    css,
    motion: {
      live: [],
      libraries: readLibraries(scan),
      canvases: [],
      scrollEffects: [],
      frameRequests: 0,
      intersectionObservers: 0,
      scrollListeners: 0,
    },
    content: readLoaded(scan, base),
  };
}

function readFacts(scan: PageScan, base: string, hasDoctype: boolean, height: number): DocumentFacts {
  const { head, headings, text } = scan;
  const meta = (name: string): string => head.meta(name).slice(0, 1_000);
  return {
    title: head.title.trim().slice(0, 500),
    description: meta("description"),
    language: (head.language ?? "").slice(0, 35),
    favicon: absolute(head.link("icon"), base),
    ogImage: meta("og:image"),
    viewportMeta: meta("viewport"),
    robotsMeta: meta("robots"),
    hasDoctype,
    charset: "UTF-8",
    width: widthWithoutBrowser,
    height,
    elements: scan.elements,
    examined: scan.examined,
    text: text.read({ start: 0, end: Infinity }, 20_000),
    headings: headings.all
      .slice(0, 200)
      .map((heading) => ({ level: Number(heading.name[1]), text: text.read(heading, 200) })),
    tags: { ...scan.tags },
    attributes: {},
    classes: [...scan.classes],
    sources: head.sources.slice(0, 200).map((source) => absolute(source, base)),
    globals: [],
  };
}

function readLoaded({ images, links, inlineHandlers, head, text }: PageScan, base: string): ContentFacts {
  return {
    images: images.all.slice(0, 300).map((image, index) => toImage(image, index, base)),
    links: links.all
      .slice(0, 1_000)
      .map((link) => toLink(link, text.read(link, 100), base))
      .filter(({ url }) => url.startsWith("http")),
    inlineHandlers,
    scripts: { total: head.scripts, blocking: head.blockingScripts },
    insecure: base.startsWith("https:") ? head.insecure.map((source) => source.slice(0, longestUrl)) : [],
  };
}

function readLibraries({ head }: PageScan): PageFacts["motion"]["libraries"] {
  const sources = head.scriptSources.map((source) => source.slice(0, longestUrl));
  return Object.entries(libraryFiles()).flatMap(([name, pattern]) => {
    const evidence = sources.find((source) => pattern.test(source));
    return evidence === undefined ? [] : [{ name, version: "", evidence }];
  });
}

/** Colours that variables name stand for the palette, since nothing was painted. */
function readColors(css: CssFacts): { color: string; area: number }[] {
  return css.variables
    .flatMap(({ value }) => (readHex(value) === undefined ? [] : [{ color: value.toLowerCase(), area: 1 }]))
    .slice(0, 60);
}

function toImage(image: PageElement, index: number, base: string): ContentFacts["images"][number] {
  const { attributes } = image;
  return {
    source: absolute(attributes["src"] ?? "", base),
    selector: `img:nth-of-type(${index + 1})`,
    box: null,
    hasAlt: attributes["alt"] !== undefined,
    hasSize: attributes["width"] !== undefined && attributes["height"] !== undefined,
    isLazy: attributes["loading"] === "lazy",
    isBroken: false,
    isBelowFold: false,
    width: 0,
    naturalWidth: 0,
  };
}

function toLink(link: PageElement, text: string, base: string): ContentFacts["links"][number] {
  return {
    url: absolute(link.attributes["href"] ?? "", base),
    text: attributeOf(link, "aria-label", 100) ?? text,
    selector: "a",
    box: null,
    rel: attributeOf(link, "rel", 100) ?? "",
    target: attributeOf(link, "target", 100) ?? "",
  };
}

function absolute(url: string, base: string): string {
  return url === "" ? "" : (parseUrl(url.slice(0, longestUrl), base)?.href.slice(0, longestUrl) ?? "");
}
