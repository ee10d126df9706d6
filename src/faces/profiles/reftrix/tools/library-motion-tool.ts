import { z } from "zod";
import { defined } from "../../../../job/defined.ts";
import { LonghaulError } from "../../../../job/error.ts";
import { motionFormats, writeMotion, type MotionFormat } from "../../../../library/code/motion-code.ts";
import { motionFeatures } from "../../../../library/entries/motion-entries.ts";
import { wishesFor } from "../../../../library/features.ts";
import type { Condition, FoundEntry, SearchRequest } from "../../../../library/library.ts";
import type { IgnoredParameter, Warning } from "../ignored-parameters.ts";
import { defineReftrixTool, looksUp, type ReftrixReply } from "../reftrix-tool.ts";
import { searchLibrary } from "./library-reader.ts";

const types = ["animation", "transition", "transform", "scroll", "hover", "keyframe"] as const;
const ratio = z.number().min(0).max(1);
/** What is written into code, so it must not end the place where it stands. */
const cssValue = z
  .string()
  .max(500)
  .regex(/^[^;{}<>`\\$]*$/, "expected a CSS value, without ; { } < > ` \\ and $");
const milliseconds = z.number().min(0).max(60_000);

const pattern = z.looseObject({
  type: z.enum(types),
  name: z.string().min(1).max(100),
  duration: milliseconds.default(300),
  delay: milliseconds.default(0),
  easing: cssValue.default("ease"),
  iterations: z.union([z.number().min(1).max(1_000_000), z.literal("infinite")]).default(1),
  direction: z.enum(["normal", "reverse", "alternate", "alternate-reverse"]).default("normal"),
  fillMode: z.enum(["none", "forwards", "backwards", "both"]).default("none"),
  properties: z
    .array(
      z.looseObject({
        name: z.string().regex(/^[a-zA-Z-]{1,50}$/, "expected a CSS property"),
        from: cssValue,
        to: cssValue,
        keyframes: z
          .array(z.looseObject({ offset: ratio, value: cssValue }))
          .max(100)
          .optional(),
      }),
    )
    .min(1)
    .max(50),
});

const input = z.looseObject({
  action: z.enum(["search", "generate"]).default("search"),
  query: z.string().min(1).max(500).optional(),
  samplePattern: z
    .looseObject({
      type: z.enum(types).optional(),
      duration: z.number().min(0).optional(),
      easing: z.string().max(200).optional(),
      properties: z.array(z.string().max(100)).max(50).optional(),
    })
    .optional(),
  filters: z
    .looseObject({
      type: z.enum(types).optional(),
      minDuration: z.number().min(0).optional(),
      maxDuration: z.number().min(0).optional(),
      trigger: z.enum(["load", "hover", "scroll", "click", "focus", "custom"]).optional(),
    })
    .optional(),
  limit: z.int().min(1).max(50).default(10),
  minSimilarity: ratio.default(0.5),
  include_js_animations: z.boolean().default(true),
  js_animation_filters: z.looseObject({}).optional(),
  include_webgl_animations: z.boolean().default(true),
  webgl_animation_filters: z.looseObject({}).optional(),
  include_implementation: z.boolean().default(false),
  diversity_threshold: ratio.optional(),
  ensure_category_diversity: z.boolean().optional(),
  pattern: pattern.optional(),
  format: z.enum([...motionFormats, "three-js", "lottie"]).default("css"),
  options: z
    .looseObject({
      selector: cssValue.default(".animated"),
      includeVendorPrefixes: z.boolean().default(false),
      includeReducedMotion: z.boolean().default(true),
      typescript: z.boolean().default(true),
      componentName: z.string().max(100).optional(),
    })
    .prefault({}),
  generation_options: z.looseObject({}).optional(),
});
type Input = z.output<typeof input>;

const bySimilarity = { code: "ORDERED_BY_SIMILARITY", why: "results are ordered by similarity, and each is different" };
const noScripts = { code: "NOT_RECORDED", why: "what a script animates is not told apart so finely" };
const noProject = { code: "NO_PROJECT_CONTEXT", why: "the server does not read the caller's project" };
const ignored: readonly IgnoredParameter[] = [
  { path: "js_animation_filters", feature: "motion", harmless: [], ...noScripts },
  { path: "webgl_animation_filters", feature: "motion", harmless: [], ...noScripts },
  { path: "diversity_threshold", feature: "motion", harmless: [0.3], ...bySimilarity },
  { path: "ensure_category_diversity", feature: "motion", harmless: [true, false], ...bySimilarity },
  { path: "generation_options", feature: "motion", harmless: [], ...noProject },
];

export const motionSearchTool = defineReftrixTool({
  name: "motion_search",
  title: "Motion Search",
  description:
    "Search the animations and transitions of analysed pages, or with action: generate write one as CSS, utility classes, styled-components, Emotion, Framer Motion or GSAP.",
  input,
  annotations: looksUp,
  ignored,
  run: async (context, given, warnings) => {
    if (given.action === "generate") return generate(given);
    if (given.query === undefined && given.samplePattern === undefined) {
      throw new LonghaulError("invalid_input", "action: search needs a query or a samplePattern.");
    }
    const { results, total } = await searchLibrary(context, toRequest(given));
    return {
      data: {
        results: results.map((entry) => viewMotionEntry(entry, given.include_implementation)),
        total,
        query: defined({ text: given.query }),
        ...toWarnings(warnings),
      },
    };
  },
});

function toWarnings(warnings: readonly Warning[]): object {
  return warnings.length === 0 ? {} : { warnings };
}

function toRequest({ query, samplePattern, filters, limit, minSimilarity, ...wanted }: Input): SearchRequest {
  const { type, minDuration, maxDuration, trigger } = filters ?? {};
  const kinds = ["css_animation", "css_transition", "keyframes"];
  if (wanted.include_js_animations) kinds.push("web_animation");
  if (wanted.include_webgl_animations) kinds.push("canvas");
  const hasDuration = minDuration !== undefined || maxDuration !== undefined;
  const triggers = { scroll: ["scroll", "intersection"], custom: ["unknown"] };
  const conditions: (Condition | undefined)[] = [
    { key: "motion_type", anyOf: kinds },
    type && conditionOfType[type],
    hasDuration ? { key: "duration_ms", ...defined({ min: minDuration, max: maxDuration }) } : undefined,
    trigger && {
      key: "trigger",
      anyOf: trigger === "scroll" || trigger === "custom" ? triggers[trigger] : [trigger],
    },
  ];
  return {
    ...{ kind: "motion", limit, offset: 0, minSimilarity },
    conditions: conditions.filter((condition) => condition !== undefined),
    ...defined({ query, wishes: samplePattern && wishesOf(samplePattern) }),
  };
}

const conditionOfType: Readonly<Record<(typeof types)[number], Condition>> = {
  animation: { key: "motion_type", anyOf: ["css_animation", "web_animation"] },
  transition: { key: "motion_type", anyOf: ["css_transition"] },
  transform: { key: "properties", anyOf: ["transform", "translate", "rotate", "scale"] },
  scroll: { key: "trigger", anyOf: ["scroll", "intersection"] },
  hover: { key: "trigger", anyOf: ["hover"] },
  keyframe: { key: "motion_type", anyOf: ["keyframes", "css_animation"] },
};

/** Only what the sample says is looked at. */
function wishesOf({
  type,
  duration,
  easing,
  properties,
}: NonNullable<Input["samplePattern"]>): SearchRequest["wishes"] {
  const features = motionFeatures({
    durationMs: duration ?? 0,
    delayMs: 0,
    iterations: 1,
    type: type === "transition" || type === "hover" ? "css_transition" : "css_animation",
    trigger: type === "hover" || type === "scroll" ? type : "unknown",
    properties: properties ?? [],
    easing: easing ?? "ease",
  });
  return wishesFor(features, [
    ...(duration === undefined ? [] : (["long"] as const)),
    ...(type === undefined ? [] : (["transition", "animation", "hover", "scroll"] as const)),
    ...(properties === undefined ? [] : (["fade", "move", "recolor", "resize"] as const)),
    ...(easing === undefined ? [] : (["eased"] as const)),
  ]);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);

function viewMotionEntry({ id, type, title, facts, similarity, page }: FoundEntry, isImplemented: boolean): object {
  const kind = text(facts["motion_type"]);
  const properties = list(facts["properties"]);
  const cost = facts["cost"];
  const isScript = kind === "web_animation";
  return {
    pattern: {
      id,
      type: isScript || kind === "canvas" ? "library_animation" : kind,
      category: type === "canvas" ? "background_animation" : type,
      name: title,
      selector: facts["selector"],
      trigger: facts["trigger"],
      animation: {
        duration: number(facts["duration_ms"]),
        delay: number(facts["delay_ms"]),
        easing: viewEasing(text(facts["easing"])),
        iterations: facts["iterations"] === -1 ? "infinite" : Math.max(1, number(facts["iterations"])),
      },
      properties: properties.map((property) => ({ property })),
      performance: {
        usesTransform: properties.includes("transform"),
        usesOpacity: properties.includes("opacity"),
        triggersLayout: cost === "layout",
        triggersPaint: cost === "paint" || cost === "layout",
      },
      accessibility: { respectsReducedMotion: facts["respects_reduced_motion"] === true },
      detectionSource: facts["is_running"] === true ? "runtime" : "css",
    },
    similarity,
    source: { pageId: page.id, url: page.url, selector: facts["selector"] },
    ...(isScript ? { jsAnimationInfo: { libraryType: libraryOf(list(facts["libraries"])) } } : {}),
    ...(kind === "canvas"
      ? { webglAnimationInfo: { category: "complex", canvasSelector: facts["selector"], confidence: 1 } }
      : {}),
    ...(isImplemented ? { implementation: implement(title, kind, facts) } : {}),
  };
}

function viewEasing(easing: string): object {
  const bezier = /^cubic-bezier\(([^)]+)\)$/.exec(easing)?.[1];
  if (bezier !== undefined) return { type: "cubic-bezier", cubicBezier: bezier.split(",").map(Number) };
  const count = /^steps\((\d+)/.exec(easing)?.[1];
  if (count !== undefined) return { type: "steps", steps: { count: Number(count) } };
  return { type: /^(linear|ease|ease-in|ease-out|ease-in-out)$/.test(easing) ? easing : "unknown" };
}

function libraryOf(names: readonly string[]): string {
  const known: [RegExp, string][] = [
    [/gsap/i, "gsap"],
    [/framer/i, "framer_motion"],
    [/anime/i, "anime_js"],
    [/three/i, "three_js"],
    [/lottie/i, "lottie"],
  ];
  return known.find(([wanted]) => names.some((name) => wanted.test(name)))?.[1] ?? "web_animations_api";
}

/** The declaration that was seen. The steps of an animation are not kept, so its keyframes are not told. */
function implement(name: string, kind: string, facts: FoundEntry["facts"]): object {
  const iterations = facts["iterations"] === -1 ? "infinite" : String(Math.max(1, number(facts["iterations"])));
  const times = `${number(facts["duration_ms"])}ms ${text(facts["easing"])} ${number(facts["delay_ms"])}ms`;
  if (kind !== "css_transition") return { animation: `${name} ${times} ${iterations}` };
  const properties = list(facts["properties"]);
  return {
    transition: properties.map((property) => `${property} ${times}`).join(", "),
    tailwind: `transition-[${properties.join(",")}] duration-[${number(facts["duration_ms"])}ms] delay-[${number(facts["delay_ms"])}ms]`,
  };
}

function generate({ pattern: given, format, options }: Input): ReftrixReply {
  if (given === undefined) throw new LonghaulError("invalid_input", "action: generate needs a pattern.");
  if (!isMotionFormat(format)) {
    throw new LonghaulError(
      "invalid_input",
      `format ${format} cannot be made of CSS properties: choose one of ${motionFormats.join(", ")}.`,
    );
  }
  const { code, hasKeyframes, hasReducedMotion, dependencies } = writeMotion(given, format, options);
  const linesOfCode = code.split("\n").filter((line) => line.trim() !== "").length;
  return { data: { code, format, metadata: { linesOfCode, hasKeyframes, hasReducedMotion, dependencies } } };
}

function isMotionFormat(format: string): format is MotionFormat {
  return motionFormats.some((known) => known === format);
}
