import { z } from "zod";
import { list } from "../list-schema.ts";

/** The beginning of what a section says. */
const sectionContentSchema = z.object({
  headings: list(z.object({ level: z.number(), text: z.string() })),
  paragraphs: list(z.string()),
  links: list(z.object({ text: z.string(), href: z.string() })),
  images: list(z.object({ src: z.string(), alt: z.string().optional() })),
  buttons: list(z.object({ text: z.string(), type: z.string() })),
});

const sectionSchema = z.object({
  id: z.string(),
  type: z.enum([
    "hero",
    "feature",
    "cta",
    "testimonial",
    "pricing",
    "footer",
    "navigation",
    "about",
    "contact",
    "gallery",
    "partners",
    "portfolio",
    "team",
    "stories",
    "research",
    "subscribe",
    "stats",
    "faq",
    "unknown",
  ]),
  position: z.number(),
  heading: z.string(),
  confidence: z.number().describe("From 0 to 1."),
  reasons: list(z.string()),
  selector: z.string(),
  top: z.number(),
  height: z.number(),
  counts: z.object({
    headings: z.number(),
    paragraphs: z.number(),
    links: z.number(),
    images: z.number(),
    buttons: z.number(),
  }),
  colors: z.object({ background: z.string(), text: z.string(), gradient: z.boolean(), image: z.boolean() }),
  content: sectionContentSchema.optional(),
});

const usedFontSchema = z.object({
  asked: z.string(),
  selector: z.string(),
  used: list(z.object({ family: z.string(), glyphs: z.number(), isDownloaded: z.boolean() })),
});

export const layoutSchema = z.object({
  sections: list(sectionSchema),
  sectionTypes: z.record(z.string(), z.number()),
  grid: z.object({
    usesGrid: z.boolean(),
    usesFlex: z.boolean(),
    columns: z.number(),
    gap: z.number(),
    containers: list(
      z.object({
        selector: z.string(),
        display: z.enum(["grid", "flex"]),
        columns: z.number(),
        gap: z.number(),
        children: z.number(),
        width: z.number(),
        template: z.string(),
      }),
    ),
  }),
  typography: z.object({
    families: list(z.object({ family: z.string(), share: z.number() })),
    sizes: list(z.object({ size: z.number(), share: z.number() })),
    body: z.object({ family: z.string(), size: z.number(), lineHeight: z.number() }).nullable(),
    headings: list(z.object({ level: z.number(), count: z.number() })),
    weights: list(z.number()),
    fontFaces: list(z.object({ family: z.string(), display: z.string() })),
    used: list(usedFontSchema).describe("Empty where the fonts that were used could not be asked for."),
  }),
  palette: z.object({
    colors: list(
      z.object({
        color: z.string(),
        role: z.enum(["background", "text", "accent", "border"]),
        share: z.number().describe("Its part of the background's area or of the text's length."),
      }),
    ),
    theme: z.enum(["light", "dark", "mixed"]),
    gradients: list(
      z.object({
        value: z.string(),
        selector: z.string(),
        region: z
          .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
          .optional()
          .describe("Where it is painted first."),
      }),
    ),
    backgrounds: z.record(z.string(), z.number()),
  }),
  variables: z.object({
    list: list(
      z.object({
        name: z.string(),
        value: z.string(),
        scope: z.string().optional().describe("The selector of the rule that sets it."),
      }),
    ),
    functions: list(z.string()),
    math: list(z.object({ property: z.string(), selector: z.string(), text: z.string() }))
      .optional()
      .describe("Declarations that calculate, with clamp() or calc()."),
  }),
  breakpoints: list(z.number()),
  framework: z.object({
    framework: z.string(),
    confidence: z.number(),
    evidence: list(z.string()),
    secondary: list(z.string()),
  }),
  landmarks: list(z.object({ role: z.string(), label: z.string(), selector: z.string() })),
});

/** What the page consists of. */
export type Layout = z.output<typeof layoutSchema>;
export type Section = z.output<typeof sectionSchema>;
export type SectionContent = z.output<typeof sectionContentSchema>;
export type SectionType = Section["type"];
export type UsedFont = z.output<typeof usedFontSchema>;
