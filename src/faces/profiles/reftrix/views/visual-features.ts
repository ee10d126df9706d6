import { contrastOf, luminanceOf, roundTo } from "./color-math.ts";
import type { Found, View } from "./extent.ts";
import { listColors, mainColors } from "./main-colors.ts";
import { readGradient } from "./read-gradient.ts";

type Layout = Found<"layout">;

/** What was measured is sure; what could not be painted, because no browser looked, is less so. */
const sure = 0.95;
const read = 0.5;

/** What a page looks like, from what the browser painted. No model tells its mood or tone. */
export function viewVisualFeatures(layout: Layout, analyzedAt: string): View {
  const isPainted = layout.typography.body !== null;
  const confidence = isPainted ? sure : read;
  const source = "deterministic";
  return {
    colors: { ...viewColors(layout), source, confidence },
    theme: { ...viewTheme(layout), source, confidence },
    gradient: { ...viewGradients(layout, confidence), source },
    mood: null,
    brandTone: null,
    metadata: {
      mergedAt: analyzedAt,
      deterministicAvailable: isPainted,
      visionAiAvailable: false,
      overallConfidence: confidence,
      // Colours, theme and gradients of six; density, mood and tone are not told.
      completeness: 0.5,
      warnings: [
        {
          code: "VISION_AI_UNAVAILABLE",
          message: "No vision model looks at pages, so mood and brandTone are null.",
        },
      ],
    },
  };
}

function viewColors(layout: Layout): View {
  const colors = listColors(layout).toSorted((a, b) => b.share - a.share);
  return {
    dominant: colors.slice(0, 5).map(({ hex }) => hex),
    accent: colors
      .filter(({ role }) => role === "accent")
      .slice(0, 3)
      .map(({ hex }) => hex),
    palette: colors.map(({ hex, share }) => ({ color: hex, percentage: roundTo(1, share * 100) })),
  };
}

const themes: ReadonlySet<string> = new Set(["light", "dark", "mixed"]);

function viewTheme(layout: Layout): View {
  const { background, text } = mainColors(layout);
  return {
    type: themes.has(layout.palette.theme) ? layout.palette.theme : "mixed",
    backgroundColor: background,
    textColor: text,
    contrastRatio: contrastOf(background, text),
    luminance: { background: roundTo(3, luminanceOf(background)), foreground: roundTo(3, luminanceOf(text)) },
  };
}

function viewGradients({ palette }: Layout, confidence: number): View {
  const gradients = palette.gradients.slice(0, 20).flatMap(({ value, region }) => {
    const gradient = readGradient(value);
    if (gradient === undefined) return [];
    const { type, angle, stops } = gradient;
    return [
      {
        type,
        ...(angle === undefined ? {} : { direction: angle }),
        colorStops: stops,
        ...(region === undefined ? {} : { region }),
        confidence,
      },
    ];
  });
  return {
    hasGradient: gradients.length > 0,
    gradients,
    // They come by the area that they cover.
    ...(gradients[0] === undefined ? {} : { dominantGradientType: gradients[0].type }),
    confidence,
    processingTimeMs: 0,
  };
}
