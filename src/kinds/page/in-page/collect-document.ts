/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { DocumentFacts } from "../facts.ts";
import type { Kit } from "./kit.ts";

export function collectDocument(kit: Kit): DocumentFacts {
  const meta = (name: string): string =>
    document
      .querySelector<HTMLMetaElement>(`meta[name="${name}" i], meta[property="${name}" i]`)
      ?.content.slice(0, 1_000) ?? "";
  const link = (relation: string): string =>
    document.querySelector<HTMLLinkElement>(`link[rel~="${relation}" i]`)?.href.slice(0, 2_000) ?? "";
  const globalNames = [
    ...[
      "gsap",
      "ScrollTrigger",
      "TweenMax",
      "anime",
      "THREE",
      "BABYLON",
      "PIXI",
      "lottie",
      "bodymovin",
      "AOS",
      "Swiper",
    ],
    ...[
      "LocomotiveScroll",
      "Lenis",
      "Velocity",
      "mojs",
      "ScrollMagic",
      "barba",
      "Typed",
      "particlesJS",
      "p5",
      "jQuery",
    ],
    ...[
      "React",
      "Vue",
      "angular",
      "Alpine",
      "bootstrap",
      "UIkit",
      "M",
      "Webflow",
      "wixBiSession",
      "elementorFrontend",
      "Squarespace",
    ],
  ];
  const globals = globalNames.flatMap((name) => {
    const value: unknown = Reflect.get(window, name);
    if (value === undefined || value === null || value instanceof Element) return [];
    const version: unknown =
      Reflect.get(Object(value), "version") ??
      Reflect.get(Object(value), "REVISION") ??
      Reflect.get(Object(Reflect.get(Object(value), "fn")), "jquery");
    return [{ name, version: typeof version === "string" ? version.slice(0, 20) : "" }];
  });
  const tags: Record<string, number> = {};
  const attributes: Record<string, number> = {};
  const classes = new Map<string, number>();
  for (const { element } of kit.seen) {
    tags[element.localName] = (tags[element.localName] ?? 0) + 1;
    for (const name of element.getAttributeNames()) {
      if (/^(aria-|role$|tabindex$|data-|loading$|fetchpriority$|onclick$|style$|x-|v-|ng-)/.test(name))
        attributes[name] = (attributes[name] ?? 0) + 1;
    }
    for (const name of element.classList) if (name.length < 60) classes.set(name, (classes.get(name) ?? 0) + 1);
  }
  const sources = [
    ...document.querySelectorAll<HTMLScriptElement | HTMLLinkElement>('script[src], link[rel~="stylesheet"]'),
  ].map((element) => ("src" in element ? element.src : element.href).slice(0, 500));
  const root = document.documentElement;
  return {
    title: document.title.slice(0, 500),
    description: meta("description"),
    language: root.lang.slice(0, 35),
    favicon: link("icon"),
    ogImage: meta("og:image"),
    canonical: link("canonical"),
    viewportMeta: meta("viewport"),
    robotsMeta: meta("robots"),
    openGraph: document.querySelectorAll('meta[property^="og:"]').length,
    structuredData: document.querySelectorAll('script[type="application/ld+json"]').length,
    hasDoctype: document.doctype !== null,
    charset: document.characterSet,
    width: Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0),
    height: Math.max(root.scrollHeight, document.body?.scrollHeight ?? 0),
    elements: kit.total,
    examined: kit.seen.length,
    text: document.body === null ? "" : kit.textOf(document.body, 20_000),
    headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
      .slice(0, 200)
      .map((element) => ({ level: Number(element.localName[1]), text: kit.textOf(element, 200) })),
    tags,
    attributes,
    classes: [...classes]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, 1_500)
      .map(([name]) => name),
    sources: sources.slice(0, 200),
    globals,
  };
}
