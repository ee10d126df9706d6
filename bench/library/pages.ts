import type { KeptPage, PageAnalysis, SectionSource } from "../../src/kinds/page/contract.ts";

const types = [
  "hero",
  "feature",
  "pricing",
  "testimonial",
  "footer",
  "navigation",
  "faq",
  "team",
  "cta",
  "stats",
] as const;
const triggers = ["hover", "scroll", "load", "click"] as const;
const vocabulary = Array.from({ length: 8_000 }, (_, nth) => `word${nth.toString(36)}`);

/** An analysed page of ten sections whose words are as unevenly common as those of a language. */
export function makePage(nth: number, random: () => number): KeptPage {
  const word = (): string => vocabulary[Math.floor(vocabulary.length * random() ** 3)] ?? "word";
  const words = (count: number): string => Array.from({ length: count }, word).join(" ");
  const color = (): string =>
    `#${Math.floor(random() * 0xff_ff_ff)
      .toString(16)
      .padStart(6, "0")}`;
  const url = `https://site-${nth}.example/`;
  const sections = types.map((type, position) => ({
    ...{ id: `section-${position + 1}`, type, position, heading: words(5), confidence: 0.9, reasons: [] },
    ...{ selector: `section:nth-of-type(${position})`, top: position * 600, height: 300 + Math.floor(random() * 900) },
    counts: {
      headings: 3,
      paragraphs: Math.floor(random() * 9),
      links: Math.floor(random() * 20),
      images: 2,
      buttons: 1,
    },
    colors: { background: color(), text: color(), gradient: random() < 0.2, image: random() < 0.2 },
  }));
  const patterns = triggers.map((trigger, place) => ({
    ...{ id: `motion-${place}`, name: words(1), selector: ".a", properties: ["opacity"], trigger, easing: "ease" },
    ...{ durationMs: Math.floor(random() * 2_000), delayMs: 0, iterations: 1, isRunning: false },
    ...{ type: "css_transition", category: "reveal", cost: "compositor", respectsReducedMotion: true },
  }));
  const analysis = {
    ...{ url, finalUrl: url, status: 200, method: "browser", analyzedAt: "2026-01-01T00:00:00.000Z", durationMs: 1 },
    page: { title: words(4), description: "", language: "en", favicon: "", ogImage: "", hasWebgl: false },
    layout: { sections, palette: { gradients: [] } },
    motion: { patterns, libraries: [], canvases: [] },
    ...{ warnings: [], phases: [], artifacts: [] },
  } as unknown as PageAnalysis;
  const sources = sections.map(({ id }) => makeSource(id, () => words(8), color));
  return { id: `page-${nth}`, owner: nth % 10 === 0 ? "ada" : "local", input: { url }, analysis, sources };
}

function makeSource(section: string, words: () => string, color: () => string): SectionSource {
  const paragraph = (style: number): SectionSource["root"] => ({
    tag: "p",
    attributes: {},
    style,
    children: [words()],
  });
  const children = Array.from({ length: 16 }, (_, nth) => paragraph(1 + (nth % 8)));
  const styles = Array.from({ length: 9 }, () => ({
    base: { color: color(), "font-size": "18px", display: "block", "margin-bottom": "16px" },
    narrower: [],
  }));
  return { section, root: { tag: "section", attributes: {}, style: 0, children }, styles, widths: [], isCut: false };
}
