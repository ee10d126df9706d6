import { readHex, toHsl } from "../layout/color.ts";
import type { PageInput } from "../contract.ts";
import type { PageFacts } from "../facts.ts";
import { firstFamily } from "../layout/analyze-layout.ts";
import type { Axis, Cliche } from "./quality.ts";

type Points = Axis["details"][number];

export function gradeOf(score: number): Axis["grade"] {
  const steps = [
    [90, "A"],
    [80, "B"],
    [70, "C"],
    [60, "D"],
  ] as const;
  return steps.find(([least]) => score >= least)?.[1] ?? "F";
}

export function toAxis(start: number, details: readonly Points[]): Axis {
  const score = Math.round(Math.min(100, Math.max(0, start + details.reduce((sum, { points }) => sum + points, 0))));
  return { score, grade: gradeOf(score), details: details.filter(({ points }) => points !== 0) };
}

const systemFamilies =
  /^(arial|helvetica|times|times new roman|georgia|verdana|tahoma|courier|courier new|sans-serif|serif|monospace|system-ui|ui-\w+|-apple-system|blinkmacsystemfont|segoe ui|)$/i;
const stockPhrases = [
  /unlock (the|your) (power|potential)/i,
  /take .{2,30} to the next level/i,
  /revolutioni[sz]e/i,
  /seamless(ly)? integrat/i,
  /cutting[- ]edge/i,
  /in today's fast-paced/i,
  /supercharge your/i,
  /elevate your/i,
];

export function findCliches({ document, styles }: PageFacts): Cliche[] {
  const violet = styles.gradients.filter(({ value }) => {
    const hues = [...value.matchAll(/rgba?\((\d+), (\d+), (\d+)/g)].map(([, red, green, blue]) =>
      toHsl({ red: Number(red), green: Number(green), blue: Number(blue), alpha: 1 }),
    );
    return hues.filter(({ hue, saturation }) => saturation > 0.35 && hue >= 235 && hue <= 325).length >= 2;
  });
  const phrases = stockPhrases.flatMap((phrase) => phrase.exec(document.text)?.[0] ?? []);
  const cliches: (Cliche | false)[] = [
    violet.length > 0 && {
      type: "violet_gradient",
      description: `Gradient from indigo to violet or pink (${violet[0]?.selector ?? ""}), the mark of many templates.`,
      severity: "high",
    },
    phrases.length > 0 && {
      type: "stock_phrase",
      description: `Stock phrases: "${phrases.slice(0, 3).join('", "')}".`,
      severity: phrases.length > 2 ? "high" : "medium",
    },
    styles.radii.some((radius) => radius >= 999) && {
      type: "pill_buttons",
      description: "Fully rounded buttons.",
      severity: "low",
    },
    styles.shadows.some((shadow) => /0px 10px 15px -3px/.test(shadow)) && {
      type: "stock_shadow",
      description: "A framework's stock shadow.",
      severity: "low",
    },
  ];
  return cliches.filter((cliche) => cliche !== false);
}

/** How much of the design is the page's own. */
export function rateOriginality(facts: PageFacts, cliches: readonly Cliche[], isStrict: boolean): Axis {
  const { css, styles, document } = facts;
  const price = isStrict ? { high: 20, medium: 12, low: 5 } : { high: 15, medium: 8, low: 0 };
  const families = new Set(
    styles.texts.map(({ family }) => firstFamily(family)).filter((family) => !systemFamilies.test(family)),
  );
  const hues = new Set(
    [...styles.backgrounds, ...styles.texts].flatMap(({ color }) => {
      const rgb = readHex(color);
      const { hue, saturation } = rgb === undefined ? { hue: 0, saturation: 0 } : toHsl(rgb);
      return saturation > 0.25 ? [Math.round(hue / 25)] : [];
    }),
  );
  const drawn = (document.tags["svg"] ?? 0) + (document.tags["canvas"] ?? 0);
  const has = (...names: string[]): boolean => names.some((name) => (css.features[name] ?? 0) > 0);
  return toAxis(70, [
    ...cliches.map(({ severity, description }) => ({ points: -price[severity], text: description })),
    { points: Math.min(8, hues.size * 3), text: `${hues.size} hues of its own` },
    { points: Math.min(6, families.size * 3), text: `${families.size} fonts beyond the system's` },
    {
      points: has("areas", "subgrid", "container", "auto_fit", "aspect_ratio") ? 5 : 0,
      text: "layout beyond rows and columns",
    },
    { points: Math.min(5, css.keyframes.length * 2), text: `${css.keyframes.length} animations of its own` },
    { points: drawn > 0 || has("clip_path", "mask") ? 4 : 0, text: "drawn or masked graphics" },
    { points: css.variables.length >= 3 ? 4 : 0, text: `${css.variables.length} design variables` },
  ]);
}

/** How well it fits what it is for. */
export function rateContextuality(
  { document, sections }: PageFacts,
  { industry, audience }: Pick<PageInput, "industry" | "audience">,
): Axis {
  const text = document.text.toLowerCase();
  const words = (topic: string): number =>
    topic
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word.length > 3 && text.includes(word)).length;
  const buttons = sections.reduce((sum, { buttons: count }) => sum + count, 0);
  const isComplete = ["header", "main", "footer"].every((tag) => (document.tags[tag] ?? 0) > 0);
  const fit = (topic: string | undefined, label: string): Points[] =>
    topic === undefined
      ? []
      : [
          {
            points: words(topic) > 0 ? 8 : -6,
            text: words(topic) > 0 ? `speaks of its ${label} (${topic})` : `no word of its ${label} (${topic})`,
          },
        ];
  return toAxis(66, [
    ...fit(industry, "industry"),
    ...fit(audience, "audience"),
    { points: isComplete ? 8 : 0, text: "header, main part and footer" },
    { points: buttons > 0 ? 6 : 0, text: "says what to do next" },
    {
      points: document.title.length >= 10 && document.description.length >= 50 ? 8 : 0,
      text: "title and description say what the page is",
    },
    { points: document.headings.filter(({ level }) => level === 1).length === 1 ? 6 : 0, text: "one main heading" },
    { points: text.length >= 400 ? 4 : -4, text: text.length >= 400 ? "enough text to judge by" : "hardly any text" },
    { points: document.ogImage !== "" ? 3 : 0, text: "a picture for previews" },
  ]);
}
