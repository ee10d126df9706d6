import type { Declarations, KeptPage } from "../../kinds/page/contract.ts";
import { colorFeatures, toVector } from "../features.ts";
import type { Entry } from "../library.ts";
import { entryId } from "./entry-id.ts";
import { colorsIn, listElements } from "./read-source.ts";

const maxBackgrounds = 40;

interface Background {
  readonly type: string;
  readonly css: string;
  readonly selector: string;
  readonly colors: readonly string[];
}

/** Every different background of a page: those of its sections' elements, and gradients and colours that only the analysis names. */
export function backgroundEntries({ id, analysis, sources }: KeptPage): Entry[] {
  const { layout } = analysis;
  if (layout === undefined) return [];
  const selectors = new Map(layout.sections.map((section) => [section.id, section.selector]));
  const seen = sources.flatMap((source) =>
    listElements(source).flatMap(({ element, style }) => {
      const selector = selectors.get(source.section) ?? "";
      const isVideo = element.tag === "video" && element.attributes["autoplay"] !== undefined;
      if (isVideo) return [{ type: "video_background", css: "", selector, colors: [] }];
      return describeStyle(style, selector) ?? [];
    }),
  );
  const named = [
    ...layout.palette.gradients.map(({ value, selector }) => ({ style: { "background-image": value }, selector })),
    ...layout.sections.map(({ colors, selector }) => ({ style: { "background-color": colors.background }, selector })),
  ].flatMap(({ style, selector }) => describeStyle(style, selector) ?? []);
  const different = new Map([...seen, ...named].toReversed().map((one) => [`${one.type} ${one.css}`, one]));
  return [...different.values()]
    .toReversed()
    .slice(0, maxBackgrounds)
    .map((background, place) => toEntry(entryId(id, "background", place), background));
}

function describeStyle(style: Declarations, selector: string): Background | undefined {
  const image = style["background-image"] ?? "none";
  const color = style["background-color"] ?? "";
  const blur = style["backdrop-filter"] ?? "none";
  const colors = [...colorsIn(image), ...colorsIn(color)];
  if (blur.includes("blur(")) return { type: "glassmorphism", css: `${color} ${blur}`.trim(), selector, colors };
  if (image !== "none" && image !== "") return { type: typeOfImage(image, style), css: image, selector, colors };
  return colors.length === 0 ? undefined : { type: "solid_color", css: colors[0] ?? "", selector, colors };
}

function typeOfImage(image: string, style: Declarations): string {
  const gradients = image.match(/(linear|radial|conic)-gradient\(/g) ?? [];
  const isAnimated = !/^(none)?$/.test(style["animation-name"] ?? "");
  if (image.includes("url(")) {
    if (gradients.length > 0) return "multi_layer";
    if (/\.svg|image\/svg/.test(image)) return "svg_background";
    const isTiled =
      (style["background-repeat"] ?? "repeat") === "repeat" && /^\d+px/.test(style["background-size"] ?? "");
    return isTiled ? "pattern_background" : "image_background";
  }
  if (gradients.length === 0) return "unknown";
  if (isAnimated) return "animated_gradient";
  if (gradients.filter((name) => name.startsWith("radial")).length > 2) return "mesh_gradient";
  if (gradients.length > 1) return "multi_layer";
  return `${(gradients[0] ?? "").split("-")[0]}_gradient`;
}

function toEntry(id: string, { type, css, selector, colors }: Background): Entry {
  const words = type.replaceAll("_", " ");
  const isGradient = type.includes("gradient");
  return {
    id,
    kind: "background",
    type,
    title: words,
    text: [words, selector, ...new Set(colors)].join(" "),
    vector: toVector({
      ...colorFeatures(colors.map((color) => ({ color, weight: 1 }))),
      gradient: Number(isGradient),
      image: Number(/image|svg|pattern|video/.test(type)),
      plain: Number(type === "solid_color"),
    }),
    facts: { css: css.slice(0, 2_000), selector, colors: [...new Set(colors)].slice(0, 12) },
  };
}
