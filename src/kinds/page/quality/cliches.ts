import { toHsl } from "../layout/color.ts";
import type { PageFacts } from "../facts.ts";
import type { Cliche } from "./quality.ts";

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

/** What many templates have in common. It is told and not rated: how much of a design is its own cannot be measured. */
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
