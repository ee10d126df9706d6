import { z } from "zod";

const phase = z.object({ name: z.string(), state: z.string(), reason: z.string().optional() });

/** Of an analysis, what tells most in few words. */
export const pageDigestSchema = z.object({
  finalUrl: z.string(),
  method: z.string(),
  methodReason: z.string().optional(),
  page: z.object({ title: z.string() }),
  phases: z.array(phase),
  layout: z
    .object({
      sections: z.array(z.object({ type: z.string(), heading: z.string() })),
      framework: z.object({ framework: z.string() }),
      palette: z.object({ theme: z.string(), colors: z.array(z.object({ color: z.string(), role: z.string() })) }),
      typography: z.object({ families: z.array(z.object({ family: z.string() })) }),
    })
    .optional(),
  motion: z
    .object({ total: z.number(), warnings: z.array(z.object({ message: z.string(), severity: z.string() })) })
    .optional(),
  quality: z
    .object({
      score: z.number(),
      grade: z.string(),
      axes: z.record(z.string(), z.object({ score: z.number() })),
      findings: z.array(
        z.object({
          id: z.string(),
          severity: z.string(),
          title: z.string(),
          evidence: z.string(),
          advice: z.string(),
          count: z.number(),
          selectors: z.array(z.string()),
        }),
      ),
      vitals: z.object({ largestPaintMs: z.number(), layoutShift: z.number(), blockingMs: z.number() }).nullable(),
    })
    .optional(),
  responsive: z
    .object({
      problems: z.array(z.object({ viewport: z.string(), message: z.string(), selectors: z.array(z.string()) })),
    })
    .optional(),
  artifacts: z.array(z.object({ name: z.string(), mediaType: z.string(), bytes: z.number() })),
});

export type PageDigest = z.output<typeof pageDigestSchema>;
