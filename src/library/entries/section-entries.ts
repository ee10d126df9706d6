import type { KeptPage, PageAnalysis, SectionSource } from "../../kinds/page/contract.ts";
import { luminance, readHex } from "../../kinds/page/layout/color.ts";
import { colorFeatures, level, toVector, type Features } from "../features.ts";
import type { Entry } from "../library.ts";
import { entryId } from "./entry-id.ts";
import { colorsIn, listElements, pixels, textOf, type StyledElement } from "./read-source.ts";

type Section = NonNullable<PageAnalysis["layout"]>["sections"][number];

const maxSections = 60;
const maxTextLength = 3_000;

export function sectionEntries({ id, analysis, sources }: KeptPage): Entry[] {
  const sections = analysis.layout?.sections ?? [];
  return sections.slice(0, maxSections).map((section, place): Entry => {
    const source = sources.find((candidate) => candidate.section === section.id);
    const elements = source === undefined ? [] : listElements(source);
    const looks = readLooks(section, source, elements);
    return {
      id: entryId(id, "section", place),
      kind: "section",
      type: section.type,
      title: section.heading,
      text: (source === undefined ? section.heading : textOf(source.root)).slice(0, maxTextLength),
      vector: toVector(toFeatures(section, looks, elements)),
      facts: {
        position: section.position,
        confidence: section.confidence,
        selector: section.selector,
        top: section.top,
        height: section.height,
        counts: section.counts,
        ...looks,
      },
      ...(source === undefined ? {} : { source }),
    };
  });
}

interface Looks {
  readonly background: string;
  readonly text_color: string;
  readonly colors: string[];
  readonly theme: "light" | "dark" | "mixed";
  readonly contrast: number;
  readonly gradient: boolean;
  readonly image: boolean;
  readonly columns: number;
  readonly fonts: string[];
  readonly heading_size: number;
  readonly text_size: number;
}

function readLooks(section: Section, source: SectionSource | undefined, elements: readonly StyledElement[]): Looks {
  const rootColor = colorsIn(source?.styles[source.root.style]?.base["background-color"] ?? "")[0];
  const background = opaque(section.colors.background) ?? rootColor ?? "#ffffff";
  const text = opaque(section.colors.text) ?? "#000000";
  const painted = elements.flatMap(({ style }) =>
    ["background-color", "color", "background-image"].flatMap((name) => colorsIn(style[name] ?? "")),
  );
  const sizes = elements.map(({ style }) => pixels(style["font-size"]));
  const headings = elements.filter(({ element }) => /^h[1-6]$/.test(element.tag));
  const fonts = elements.flatMap(({ style }) => firstFamily(style["font-family"]) ?? []);
  return {
    background,
    text_color: text,
    colors: [...new Set([background, text, ...painted])].slice(0, 12),
    theme: themeOf(background),
    contrast: contrastOf(background, text),
    gradient:
      section.colors.gradient || elements.some(({ style }) => /gradient\(/.test(style["background-image"] ?? "")),
    image: section.colors.image || elements.some(({ style }) => /url\(/.test(style["background-image"] ?? "")),
    columns: Math.max(1, ...elements.map(({ style }) => countColumns(style["grid-template-columns"]))),
    fonts: [...new Set(fonts)].slice(0, 5),
    heading_size: Math.max(0, ...headings.map(({ style }) => pixels(style["font-size"]))),
    text_size: sizes.find((size) => size > 0) ?? 0,
  };
}

function toFeatures({ counts, height }: Section, looks: Looks, elements: readonly StyledElement[]): Features {
  const has = (name: string, pattern: RegExp): number =>
    elements.some(({ style }) => pattern.test(style[name] ?? "")) ? 1 : 0;
  const count = (pattern: RegExp): number => elements.filter(({ element }) => pattern.test(element.tag)).length;
  const [first = "#ffffff", second = "#000000", ...others] = looks.colors;
  const weights = [
    { color: first, weight: 6 },
    { color: second, weight: 1 },
    ...others.map((color) => ({ color, weight: 1 })),
  ];
  return {
    ...colorFeatures(weights),
    gradient: Number(looks.gradient),
    image: Number(looks.image),
    plain: Number(!looks.gradient && !looks.image),
    columns: (looks.columns - 1) / 4,
    grid: has("display", /grid/),
    flex: has("display", /flex/),
    tall: height / 1_600,
    images: level(counts.images, 12),
    links: level(counts.links, 30),
    buttons: level(counts.buttons, 5),
    headings: level(counts.headings, 12),
    paragraphs: level(counts.paragraphs, 15),
    fields: level(count(/^(input|textarea|select)$/), 5),
    large_heading: looks.heading_size / 72,
    large_text: looks.text_size / 32,
    serif: Number(
      looks.fonts.some((font) => /serif|georgia|times|garamond|playfair/i.test(font) && !/sans/i.test(font)),
    ),
    monospace: has("font-family", /mono|courier|consolas/i),
    bold: Number(elements.some(({ style }) => Number(style["font-weight"]) >= 700)),
    transition: Number(elements.some(({ style }) => /[1-9]/.test(style["transition-duration"] ?? ""))),
    animation: has("animation-name", /^(?!none$)./),
  };
}

function opaque(color: string): string | undefined {
  return /^#[0-9a-f]{6}/i.test(color) ? color.slice(0, 7).toLowerCase() : undefined;
}

function firstFamily(list: string | undefined): string | undefined {
  const first = (list ?? "").split(",")[0]?.replace(/["']/g, "").trim();
  return first === "" ? undefined : first;
}

function themeOf(background: string): Looks["theme"] {
  const light = luminanceOf(background);
  return light < 0.18 ? "dark" : light > 0.5 ? "light" : "mixed";
}

/** WCAG's ratio of two colours, from 1 to 21. */
function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return Math.round(((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)) * 100) / 100;
}

function luminanceOf(color: string): number {
  const rgb = readHex(color);
  return rgb === undefined ? 1 : luminance(rgb);
}

/** `repeat(3, 1fr)` and `1fr 1fr 1fr` are three. */
function countColumns(template: string | undefined): number {
  if (template === undefined || template === "none") return 1;
  const repeated = /repeat\((\d+),/.exec(template)?.[1];
  if (repeated !== undefined) return Number(repeated);
  return template
    .replace(/\([^)]*\)/g, "")
    .split(/\s+/)
    .filter((part) => part !== "" && !part.startsWith("[")).length;
}
