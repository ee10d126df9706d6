/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { ContentFacts, ImageFacts } from "../facts.ts";
import type { Kit } from "./kit.ts";

export const contentFunctions = [collectContent, describeImage, collectLinks, findInsecure];

export function collectContent(kit: Kit): ContentFacts {
  const scripts = [...document.scripts].filter(({ type }) => type === "" || /javascript|module/.test(type));
  const blocking = scripts.filter(
    ({ src, async, defer, type, parentElement }) =>
      src !== "" && !async && !defer && type !== "module" && parentElement === document.head,
  );
  return {
    images: [...document.images].slice(0, 300).map((image) => describeImage(image, kit)),
    links: collectLinks(kit),
    inlineHandlers: document.querySelectorAll("[onclick], [onload], [onmouseover], [onsubmit], [onchange]").length,
    scripts: { total: scripts.length, blocking: blocking.length },
    insecure: findInsecure(),
  };
}

function describeImage(image: HTMLImageElement, kit: Kit): ImageFacts {
  const { rect, style } = kit.look(image);
  const isDecoration = image.getAttribute("role") === "presentation" || image.getAttribute("aria-hidden") === "true";
  return {
    source: (image.currentSrc || image.src).slice(0, 1_000),
    selector: kit.selectorOf(image),
    box: kit.boxOf(image),
    hasAlt: image.hasAttribute("alt") || isDecoration,
    hasSize: (image.hasAttribute("width") && image.hasAttribute("height")) || style.aspectRatio.includes("/"),
    isLazy: image.loading === "lazy",
    isBroken: image.complete && image.naturalWidth === 0 && image.src !== "",
    isBelowFold: rect.top + scrollY > innerHeight * 1.5,
    width: Math.round(rect.width),
    naturalWidth: image.naturalWidth,
  };
}

function collectLinks(kit: Kit): ContentFacts["links"] {
  return [...document.querySelectorAll<HTMLAnchorElement>("a[href]")]
    .slice(0, 1_000)
    .filter(({ href }) => typeof href === "string" && href.startsWith("http"))
    .map((link) => ({
      url: link.href.slice(0, 2_000),
      text: (link.getAttribute("aria-label") ?? kit.textOf(link, 100)) || (link.querySelector("img")?.alt ?? ""),
      selector: kit.selectorOf(link),
      box: kit.boxOf(link),
      rel: link.rel,
      target: link.target,
    }));
}

function findInsecure(): string[] {
  if (location.protocol !== "https:") return [];
  return [...document.querySelectorAll("[src], form[action]")]
    .map((element) => element.getAttribute("src") ?? element.getAttribute("action") ?? "")
    .filter((url) => url.startsWith("http:"))
    .slice(0, 50);
}
