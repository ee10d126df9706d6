import type { KeptPage, PageAnalysis, SectionSource } from "../../src/kinds/page/contract.ts";
import { createIdSource } from "../../src/job/id.ts";

type Layout = NonNullable<PageAnalysis["layout"]>;
type Section = Layout["sections"][number];
type Motion = NonNullable<PageAnalysis["motion"]>;
type Pattern = Motion["patterns"][number];

export interface PageWishes {
  readonly id?: string;
  readonly owner?: string;
  readonly url?: string;
  readonly title?: string;
  readonly sections?: readonly (Partial<Section> & { readonly text?: string; readonly source?: SectionSource })[];
  readonly motions?: readonly Partial<Pattern>[];
  readonly gradients?: readonly string[];
  readonly responsive?: PageAnalysis["responsive"];
}

const nextId = createIdSource(() => Date.now());

/** An analysed page as the kind hands it over, with only what a test names being out of the ordinary. */
export function keptPage(wishes: PageWishes = {}): KeptPage {
  const { sections = [], motions = [], gradients = [] } = wishes;
  const pageId = wishes.id ?? nextId();
  const url = wishes.url ?? `https://page.example/${pageId}`;
  const made = sections.map((given, position) => ({ section: section(given, position), given }));
  return {
    id: pageId,
    owner: wishes.owner ?? "local",
    input: { url },
    analysis: {
      url,
      finalUrl: url,
      status: 200,
      method: "browser",
      analyzedAt: "2026-11-19T00:00:00.000Z",
      durationMs: 1_000,
      page: {
        title: wishes.title ?? "A page",
        description: "",
        language: "en",
        favicon: "",
        ogImage: "",
        width: 1_440,
        height: 4_000,
        elements: 100,
        hasWebgl: false,
      },
      layout: layout(
        made.map((one) => one.section),
        gradients,
      ),
      motion: motion(motions.map(pattern)),
      ...(wishes.responsive === undefined ? {} : { responsive: wishes.responsive }),
      warnings: [],
      phases: [],
      artifacts: [],
    },
    sources: made.flatMap(({ section: { id }, given }) => {
      if (given.source !== undefined) return [{ ...given.source, section: id }];
      return given.text === undefined ? [] : [plainSource(id, given.text)];
    }),
  };
}

/** A section that consists of one paragraph. */
export function plainSource(id: string, text: string): SectionSource {
  const paragraph = { tag: "p", attributes: {}, style: 0, children: [text] };
  return {
    section: id,
    root: { tag: "section", attributes: {}, style: 0, children: [paragraph] },
    styles: [{ base: {}, narrower: [] }],
    widths: [],
    isCut: false,
  };
}

function section(given: Partial<Section>, position: number): Section {
  return {
    id: `section-${position + 1}`,
    type: given.type ?? "unknown",
    position,
    heading: given.heading ?? "",
    confidence: 0.9,
    reasons: [],
    selector: given.selector ?? `section:nth-of-type(${position + 1})`,
    left: 0,
    top: position * 500,
    width: 1_440,
    height: given.height ?? 500,
    counts: given.counts ?? { headings: 1, paragraphs: 1, links: 0, images: 0, buttons: 0 },
    colors: given.colors ?? { background: "#ffffff", text: "#111111", gradient: false, image: false },
  };
}

function layout(sections: Section[], gradients: readonly string[]): Layout {
  return {
    sections,
    sectionTypes: {},
    grid: { usesGrid: false, usesFlex: false, columns: 1, gap: 0, containers: [] },
    typography: { families: [], sizes: [], body: null, headings: [], weights: [], fontFaces: [], used: [] },
    palette: {
      colors: [],
      theme: "light",
      gradients: gradients.map((value) => ({ value, selector: "body" })),
      backgrounds: {},
    },
    variables: { list: [], functions: [] },
    breakpoints: [],
    framework: { framework: "none", confidence: 0, evidence: [], secondary: [] },
    landmarks: [],
  };
}

function pattern(given: Partial<Pattern>, place: number): Pattern {
  return {
    id: `motion-${place + 1}`,
    name: "motion",
    selector: ".a",
    properties: ["opacity"],
    trigger: "load",
    durationMs: 300,
    type: "css_transition",
    category: "micro_interaction",
    delayMs: 0,
    easing: "ease",
    iterations: 1,
    cost: "compositor",
    isRunning: false,
    respectsReducedMotion: true,
    ...given,
  };
}

function motion(patterns: Pattern[]): Motion {
  return {
    patterns,
    total: patterns.length,
    unused: { patterns: 0, keyframes: 0 },
    categories: {},
    libraries: [],
    canvases: [],
    scrollEffects: [],
    webAnimations: 0,
    hasReducedMotion: true,
    usesScript: { frameRequests: 0, intersectionObservers: 0, scrollListeners: 0 },
    warnings: [],
  };
}
