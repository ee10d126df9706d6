/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { PageFacts, SectionFacts } from "../facts.ts";
import type { Kit } from "./kit.ts";

/** Parts of the page that may be sections: landmarks, semantic elements, and blocks across the page that are named like one. */
export function collectSections(kit: Kit): Pick<PageFacts, "sections" | "landmarks"> {
  const landmarkRoles: Record<string, string> = {
    header: "banner",
    nav: "navigation",
    main: "main",
    aside: "complementary",
    footer: "contentinfo",
    form: "form",
    search: "search",
  };
  const named =
    /(^|[-_\s])(hero|banner|jumbotron|features?|services|benefits|cta|call-to-action|testimonials?|reviews?|pricing|plans?|about|contact|gallery|portfolio|work|team|people|partners?|clients|logos|faq|questions|stats?|numbers|metrics|newsletter|subscribe|signup|stories|blog|news|research|publications|section|block|footer|nav|navbar|header)([-_\s]|$)/i;
  const wrapper = /^(main|article|body)$/;
  const namesOf = (element: Element): string =>
    [
      element.className,
      element.id,
      ...["data-section", "data-component", "data-block"].map((name) => element.getAttribute(name) ?? ""),
    ]
      .filter((text) => typeof text === "string")
      .join(" ");
  const isCandidate = (element: Element): boolean => {
    const tag = element.localName;
    if (/^(header|nav|section|article|aside|footer)$/.test(tag)) return true;
    if (/^(banner|navigation|contentinfo|complementary|region)$/.test(element.getAttribute("role") ?? "")) return true;
    return tag === "div" && named.test(namesOf(element)) && kit.look(element).rect.width >= innerWidth * 0.5;
  };
  const isOpened = (element: Element): boolean =>
    wrapper.test(element.localName) ||
    element.getAttribute("role") === "main" ||
    (element.localName === "div" && element.querySelectorAll("section, header, footer, nav").length > 1);

  const chosen: Element[] = [];
  const visit = (element: Element, depth: number): void => {
    for (const child of element.children) {
      if (chosen.length >= 200) return;
      if (!kit.look(child).isVisible && child.getBoundingClientRect().height === 0 && child.children.length === 0)
        continue;
      if (isCandidate(child) && !isOpened(child)) chosen.push(child);
      else if (depth < 12) visit(child, depth + 1);
    }
  };
  if (document.body !== null) visit(document.body, 0);

  const repeatedIn = (element: Element): number => {
    let most = 0;
    for (const list of [element, ...element.querySelectorAll("div, ul, ol, section")].slice(0, 60)) {
      const shapes = new Map<string, number>();
      for (const child of list.children) {
        const shape = `${child.localName}.${child.classList[0] ?? ""}`;
        if (child.children.length > 0 || child.localName === "li") shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
      }
      most = Math.max(most, ...shapes.values());
    }
    return most;
  };
  const describe = (element: Element): SectionFacts => {
    const { rect, style } = kit.look(element);
    const text = kit.textOf(element, 3_000);
    const count = (selector: string): number => element.querySelectorAll(selector).length;
    const heading = element.querySelector("h1, h2, h3, h4, h5, h6");
    return {
      selector: kit.selectorOf(element),
      tag: element.localName,
      role: element.getAttribute("role") ?? "",
      words: [
        ...new Set(
          namesOf(element)
            .replace(/([a-z])([A-Z])/g, "$1 $2")
            .toLowerCase()
            .split(/[^a-z0-9]+/)
            .filter((word) => word !== ""),
        ),
      ].slice(0, 40),
      heading: heading === null ? "" : kit.textOf(heading, 200),
      headings: count("h1, h2, h3, h4, h5, h6"),
      hasTopHeading: count("h1") > 0,
      paragraphs: count("p"),
      links: count("a[href]"),
      images: count("img, picture, svg[role=img]"),
      buttons: count(
        'button, [role=button], input[type=submit], a[class*="btn" i], a[class*="button" i], a[class*="cta" i]',
      ),
      quotes: count("blockquote, q, cite"),
      prices: (text.match(/[$€£¥]\s?\d|\d+\s?(?:€|usd|eur|\/\s?mo)/gi) ?? []).length,
      details: count("details, [aria-expanded]"),
      bigNumbers: [...element.querySelectorAll("*")].filter(
        (child) =>
          child.children.length === 0 && /^[<>~+]?\s?[\d.,]+\s?[%kKmMxX+]*\+?$/.test((child.textContent ?? "").trim()),
      ).length,
      fields: [...element.querySelectorAll<HTMLInputElement>("input, textarea, select")]
        .slice(0, 30)
        .map((field) => field.type),
      repeated: repeatedIn(element),
      text,
      top: Math.round(rect.top + scrollY),
      height: Math.round(rect.height),
      width: Math.round(rect.width),
      background: kit.hex(style.backgroundColor),
      color: kit.hex(style.color),
      hasGradient: style.backgroundImage.includes("gradient("),
      hasBackgroundImage: style.backgroundImage.includes("url("),
    };
  };
  const landmarks = [...document.querySelectorAll("header, nav, main, aside, footer, search, form[aria-label], [role]")]
    .slice(0, 300)
    .flatMap((element) => {
      const role = element.getAttribute("role") ?? landmarkRoles[element.localName] ?? "";
      const isScoped =
        /^(header|footer)$/.test(element.localName) &&
        element.closest("article, section, main, aside, nav") !== null &&
        element.getAttribute("role") === null;
      if (isScoped || !Object.values(landmarkRoles).includes(role)) return [];
      return [
        { role, label: (element.getAttribute("aria-label") ?? "").slice(0, 100), selector: kit.selectorOf(element) },
      ];
    });
  return { sections: chosen.map(describe), landmarks: landmarks.slice(0, 50) };
}
