/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { DocumentFacts } from "../facts.ts";
import type { Kit } from "./kit.ts";
import type { MainWorld } from "./read-main-world.ts";

export const documentFunctions = [collectDocument, collectNames, metaContent, linkTarget];

export function collectDocument(kit: Kit, { globals }: Pick<MainWorld, "globals">): DocumentFacts {
  const root = document.documentElement;
  const selector = 'script[src], link[rel~="stylesheet"]';
  const sources = [...document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>(selector)].map((element) =>
    ("src" in element ? element.src : element.href).slice(0, 500),
  );
  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].slice(0, 200);
  return {
    title: document.title.slice(0, 500),
    description: metaContent("description"),
    language: root.lang.slice(0, 35),
    favicon: linkTarget("icon"),
    ogImage: metaContent("og:image"),
    viewportMeta: metaContent("viewport"),
    robotsMeta: metaContent("robots"),
    hasDoctype: document.doctype !== null,
    charset: document.characterSet,
    width: Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0),
    height: Math.max(root.scrollHeight, document.body?.scrollHeight ?? 0),
    elements: kit.total,
    examined: kit.seen.length,
    text: document.body === null ? "" : kit.textOf(document.body, 20_000),
    headings: headings.map((element) => ({ level: Number(element.localName[1]), text: kit.textOf(element, 200) })),
    sources: sources.slice(0, 200),
    globals,
    ...collectNames(kit),
  };
}

function metaContent(name: string): string {
  const element = document.querySelector<HTMLMetaElement>(`meta[name="${name}" i], meta[property="${name}" i]`);
  return element?.content.slice(0, 1_000) ?? "";
}

function linkTarget(relation: string): string {
  return document.querySelector<HTMLLinkElement>(`link[rel~="${relation}" i]`)?.href.slice(0, 2_000) ?? "";
}

/** Which elements, attributes and classes there are; classes by how often they are used. */
function collectNames({ seen }: Kit): Pick<DocumentFacts, "tags" | "attributes" | "classes"> {
  const told = /^(aria-|role$|tabindex$|data-|loading$|fetchpriority$|onclick$|style$)/;
  const tags: Record<string, number> = {};
  const attributes: Record<string, number> = {};
  const classes = new Map<string, number>();
  for (const { element } of seen) {
    tags[element.localName] = (tags[element.localName] ?? 0) + 1;
    for (const name of element.getAttributeNames()) {
      if (told.test(name)) attributes[name] = (attributes[name] ?? 0) + 1;
    }
    for (const name of element.classList) {
      if (name.length < 60) classes.set(name, (classes.get(name) ?? 0) + 1);
    }
  }
  const ordered = [...classes].toSorted((a, b) => b[1] - a[1]).slice(0, 1_500);
  return { tags, attributes, classes: ordered.map(([name]) => name) };
}
