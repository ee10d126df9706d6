import type { CheerioAPI } from "cheerio/slim";
import type { CssFacts, DocumentFacts, PageFacts, SectionFacts } from "../facts.ts";
import { libraryFiles } from "../in-page/collect-motion.ts";
import { countPrices, landmarkRoles } from "../in-page/collect-sections.ts";
import { readHex } from "../layout/color.ts";
import { parseUrl } from "../../../job/parse-url.ts";
import { readContent } from "./read-content.ts";

type Part = ReturnType<CheerioAPI>;

const widthWithoutBrowser = 1_440;

/** Facts from the HTML alone. Places are estimated, because nothing was laid out; what only drawing tells is left empty. */
export function readDocument($: CheerioAPI, base: string, hasDoctype: boolean, css: CssFacts): PageFacts {
  const sections = readSections($);
  const height = sections.reduce((sum, section) => sum + section.height, 0);
  return {
    document: readFacts($, base, hasDoctype, height),
    sections,
    landmarks: readLandmarks($),
    styles: {
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
      libraries: readLibraries($),
      canvases: [],
      scrollEffects: [],
      frameRequests: 0,
      intersectionObservers: 0,
      scrollListeners: 0,
    },
    content: {
      images: $("img")
        .toArray()
        .slice(0, 300)
        .map((element, index) => toImage($(element), index, base)),
      links: $("a[href]")
        .toArray()
        .slice(0, 1_000)
        .map((element) => toLink($(element), base))
        .filter(({ url }) => url.startsWith("http")),
      inlineHandlers: $("[onclick], [onload], [onsubmit], [onchange]").length,
      scripts: {
        total: $("script").length,
        blocking: $("head script[src]:not([async]):not([defer]):not([type=module])").length,
      },
      insecure: base.startsWith("https:")
        ? $("[src^='http:']")
            .toArray()
            .map((element) => $(element).attr("src") ?? "")
            .slice(0, 50)
        : [],
    },
  };
}

function readFacts($: CheerioAPI, base: string, hasDoctype: boolean, height: number): DocumentFacts {
  const meta = (name: string): string =>
    $(`meta[name="${name}"], meta[property="${name}"]`).first().attr("content") ?? "";
  const link = (relation: string): string => absolute($(`link[rel~="${relation}"]`).first().attr("href") ?? "", base);
  const tags: Record<string, number> = {};
  const classes = new Set<string>();
  const all = $("body *").toArray();
  for (const element of all) {
    tags[element.tagName] = (tags[element.tagName] ?? 0) + 1;
    for (const name of ($(element).attr("class") ?? "").split(/\s+/))
      if (name !== "" && classes.size < 1_500) classes.add(name);
  }
  return {
    title: $("title").first().text().trim().slice(0, 500),
    description: meta("description"),
    language: $("html").attr("lang") ?? "",
    favicon: link("icon"),
    ogImage: meta("og:image"),
    viewportMeta: meta("viewport"),
    robotsMeta: meta("robots"),
    hasDoctype,
    charset: "UTF-8",
    width: widthWithoutBrowser,
    height,
    elements: all.length,
    examined: all.length,
    text: textOf($("body").clone().find("script, style").remove().end(), 20_000),
    headings: $("h1, h2, h3, h4, h5, h6")
      .toArray()
      .slice(0, 200)
      .map((element) => ({ level: Number(element.tagName[1]), text: textOf($(element), 200) })),
    tags,
    attributes: {},
    classes: [...classes],
    sources: $("script[src], link[rel~=stylesheet]")
      .toArray()
      .map((element) => absolute($(element).attr("src") ?? $(element).attr("href") ?? "", base))
      .slice(0, 200),
    globals: [],
  };
}

function readSections($: CheerioAPI): SectionFacts[] {
  const named = "header, nav, section, article, aside, footer, [role=banner], [role=navigation], [role=contentinfo]";
  const chosen = $(named)
    .toArray()
    .filter((element) => {
      const outer = $(element).parents(named).not("main, article");
      return outer.length === 0 && !(/^(main|article)$/.test(element.tagName) && $(element).find("section").length > 0);
    });
  let top = 0;
  return chosen.slice(0, 200).map((element, index) => {
    const section = toSection($(element), index, top, element.tagName, readContent($, $(element)));
    top += section.height;
    return section;
  });
}

function toSection(
  part: Part,
  index: number,
  top: number,
  tag: string,
  content: SectionFacts["content"],
): SectionFacts {
  const count = (selector: string): number => part.find(selector).length;
  const [headings, paragraphs, images, buttons] = [
    count("h1, h2, h3, h4, h5, h6"),
    count("p"),
    count("img"),
    count("button, [role=button], input[type=submit], a[class*=btn], a[class*=button], a[class*=cta]"),
  ];
  const text = textOf(part, 3_000);
  const words = `${part.attr("class") ?? ""} ${part.attr("id") ?? ""}`
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const id = part.attr("id");
  return {
    selector: id === undefined ? `${tag}:nth-of-type(${index + 1})` : `#${id}`,
    tag,
    role: part.attr("role") ?? "",
    words,
    heading: textOf(part.find("h1, h2, h3, h4, h5, h6").first(), 200),
    headings,
    hasTopHeading: count("h1") > 0,
    paragraphs,
    links: count("a[href]"),
    images,
    buttons,
    quotes: count("blockquote"),
    details: count("details"),
    bigNumbers: 0,
    prices: countPrices(text),
    fields: part
      .find("input, textarea, select")
      .toArray()
      .map((element) => (element.tagName === "textarea" ? "textarea" : (element.attribs["type"] ?? "text"))),
    repeated: Math.max(count("li"), count("article")),
    text,
    top,
    height: Math.max(50, 40 * headings + 60 * paragraphs + 200 * images + 40 * buttons),
    width: widthWithoutBrowser,
    background: "",
    color: "",
    hasGradient: false,
    hasBackgroundImage: false,
    content,
  };
}

function readLandmarks($: CheerioAPI): PageFacts["landmarks"] {
  const roles = landmarkRoles();
  return $("header, nav, main, aside, footer")
    .toArray()
    .slice(0, 50)
    .map((element) => ({
      role: roles[element.tagName] ?? "",
      label: $(element).attr("aria-label") ?? "",
      selector: element.tagName,
    }));
}

function readLibraries($: CheerioAPI): PageFacts["motion"]["libraries"] {
  const sources = $("script[src]")
    .toArray()
    .map((element) => $(element).attr("src") ?? "");
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

function toImage(image: Part, index: number, base: string): PageFacts["content"]["images"][number] {
  return {
    source: absolute(image.attr("src") ?? "", base),
    selector: `img:nth-of-type(${index + 1})`,
    hasAlt: image.attr("alt") !== undefined,
    hasSize: image.attr("width") !== undefined && image.attr("height") !== undefined,
    isLazy: image.attr("loading") === "lazy",
    isBroken: false,
    isBelowFold: false,
    width: 0,
    naturalWidth: 0,
  };
}

function toLink(link: Part, base: string): PageFacts["content"]["links"][number] {
  return {
    url: absolute(link.attr("href") ?? "", base),
    text: link.attr("aria-label") ?? textOf(link, 100),
    selector: "a",
    rel: link.attr("rel") ?? "",
    target: link.attr("target") ?? "",
  };
}

function textOf(part: Part, max: number): string {
  return part.text().replace(/\s+/g, " ").trim().slice(0, max);
}

function absolute(url: string, base: string): string {
  return url === "" ? "" : (parseUrl(url, base)?.href ?? "");
}
