/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { ContentFacts } from "../facts.ts";
import type { Kit } from "./kit.ts";

export function collectContent(kit: Kit): ContentFacts {
  const images = [...document.images].slice(0, 300).map((image) => {
    const { rect } = kit.look(image);
    return {
      source: image.currentSrc.slice(0, 1_000) || image.src.slice(0, 1_000),
      selector: kit.selectorOf(image),
      hasAlt:
        image.hasAttribute("alt") ||
        image.getAttribute("role") === "presentation" ||
        image.getAttribute("aria-hidden") === "true",
      hasSize:
        (image.hasAttribute("width") && image.hasAttribute("height")) ||
        getComputedStyle(image).aspectRatio.includes("/"),
      isLazy: image.loading === "lazy",
      isBroken: image.complete && image.naturalWidth === 0 && image.src !== "",
      isBelowFold: rect.top + scrollY > innerHeight * 1.5,
      width: Math.round(rect.width),
      naturalWidth: image.naturalWidth,
    };
  });
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")]
    .slice(0, 1_000)
    .map((link) => ({
      url: link.href.slice(0, 2_000),
      text: (link.getAttribute("aria-label") ?? kit.textOf(link, 100)) || (link.querySelector("img")?.alt ?? ""),
      selector: kit.selectorOf(link),
      rel: link.rel,
      target: link.target,
    }))
    .filter(({ url }) => url.startsWith("http"));
  const scripts = [...document.querySelectorAll<HTMLScriptElement>("script")].filter(
    (script) => script.type === "" || /javascript|module/.test(script.type),
  );
  const insecure =
    location.protocol === "https:"
      ? [...document.querySelectorAll<HTMLElement>("[src], form[action]")]
          .map((element) => element.getAttribute("src") ?? element.getAttribute("action") ?? "")
          .filter((url) => url.startsWith("http:"))
      : [];
  return {
    images,
    links,
    inlineHandlers: document.querySelectorAll("[onclick], [onload], [onmouseover], [onsubmit], [onchange]").length,
    passwordFields: document.querySelectorAll("input[type=password]").length,
    scripts: {
      total: scripts.length,
      blocking: scripts.filter(
        (script) =>
          script.src !== "" &&
          !script.async &&
          !script.defer &&
          script.type !== "module" &&
          script.closest("head") !== null,
      ).length,
    },
    insecure: insecure.slice(0, 50),
  };
}
