import { z } from "zod";

const message = z.object({ code: z.string(), message: z.string() });
const axis = z.object({
  score: z.number(),
  grade: z.string(),
  details: z.array(z.object({ points: z.number(), text: z.string() })),
});

/** Of an analysis, what this profile shows; a part is absent where its phase failed or was not asked for. */
export const storedAnalysisSchema = z.object({
  url: z.string(),
  finalUrl: z.string(),
  method: z.string(),
  methodReason: z.string().optional(),
  analyzedAt: z.string(),
  durationMs: z.number(),
  page: z.object({
    title: z.string(),
    description: z.string(),
    favicon: z.string(),
    ogImage: z.string(),
    width: z.number(),
    height: z.number(),
    hasWebgl: z.boolean(),
  }),
  phases: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["done", "failed", "timed_out", "skipped"]),
      ms: z.number(),
      reason: z.string().optional(),
    }),
  ),
  layout: z
    .object({
      sections: z.array(
        z.object({
          id: z.string(),
          type: z.string(),
          position: z.number(),
          heading: z.string(),
          confidence: z.number(),
        }),
      ),
      sectionTypes: z.record(z.string(), z.number()),
      grid: z.looseObject({ columns: z.number() }),
      typography: z.looseObject({ families: z.array(z.object({ family: z.string() })) }),
      palette: z.object({
        colors: z.array(z.object({ color: z.string(), role: z.string(), share: z.number() })),
        theme: z.string(),
        gradients: z.array(z.object({ value: z.string(), selector: z.string() })),
        backgrounds: z.record(z.string(), z.number()),
      }),
      variables: z.object({
        list: z.array(z.object({ name: z.string(), value: z.string() })),
        functions: z.array(z.string()),
      }),
      framework: z.object({
        framework: z.string(),
        confidence: z.number(),
        evidence: z.array(z.string()),
        secondary: z.array(z.string()),
      }),
    })
    .optional(),
  motion: z
    .object({
      patterns: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          type: z.string(),
          category: z.string(),
          trigger: z.string(),
          durationMs: z.number(),
          easing: z.string(),
          properties: z.array(z.string()),
          cost: z.string(),
          respectsReducedMotion: z.boolean(),
        }),
      ),
      libraries: z.array(z.object({ name: z.string() })),
      canvases: z.array(z.object({ isAnimated: z.boolean() })),
      webAnimations: z.number(),
      warnings: z.array(message.extend({ severity: z.string(), topic: z.string() })),
      frames: z
        .object({
          stepPx: z.number(),
          list: z.array(
            z.object({ name: z.string(), top: z.number(), atMs: z.number(), changed: z.number().nullable() }),
          ),
          error: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
  quality: z
    .object({
      score: z.number(),
      grade: z.string(),
      axes: z.record(z.string(), axis),
      cliches: z.array(z.object({ type: z.string(), description: z.string(), severity: z.string() })),
      findings: z.array(z.looseObject({ id: z.string() })),
      recommendations: z.array(
        z.object({
          id: z.string(),
          category: z.string(),
          priority: z.string(),
          title: z.string(),
          description: z.string(),
          gain: z.number(),
        }),
      ),
    })
    .optional(),
  responsive: z
    .object({
      viewports: z.array(z.looseObject({ name: z.string(), width: z.number(), height: z.number() })),
      differences: z.array(z.object({ category: z.string(), element: z.string(), description: z.string() })),
      breakpoints: z.array(z.number()),
    })
    .optional(),
  warnings: z.array(message),
  artifacts: z.array(z.object({ name: z.string(), mediaType: z.string(), bytes: z.number() })),
});

export type StoredAnalysis = z.output<typeof storedAnalysisSchema>;
