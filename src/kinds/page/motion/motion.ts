import { z } from "zod";
import { list } from "../list-schema.ts";

const motionPatternSchema = z.object({
  name: z.string(),
  selector: z.string(),
  properties: list(z.string()),
  trigger: z.enum(["hover", "focus", "click", "scroll", "intersection", "load", "unknown"]),
  durationMs: z.number(),
  type: z.enum(["css_animation", "css_transition", "web_animation"]),
  category: z.enum([
    "typing_animation",
    "marquee",
    "loading_state",
    "video_overlay",
    "hover_effect",
    "parallax",
    "morphing",
    "background_animation",
    "scroll_trigger",
    "reveal",
    "page_transition",
    "navigation",
    "feedback",
    "micro_interaction",
    "attention_grabber",
    "entrance",
    "exit",
    "unknown",
  ]),
  delayMs: z.number(),
  easing: z.string(),
  iterations: z.number().describe("-1 is for ever."),
  cost: z.enum(["compositor", "paint", "layout"]).describe("What a change costs the browser for every frame."),
  isRunning: z.boolean().describe("It was seen to run, not only declared."),
  id: z.string(),
  respectsReducedMotion: z.boolean(),
  script: z
    .object({
      direction: z.string(),
      fill: z.string(),
      playState: z.string(),
      keyframes: list(z.object({ offset: z.number().nullable(), easing: z.string(), composite: z.string() })),
    })
    .optional()
    .describe("Of an animation that a script has started."),
});

const motionWarningSchema = z.object({
  code: z.enum(["no_reduced_motion", "infinite_motion", "layout_motion", "many_motions", "long_motion"]),
  severity: z.enum(["info", "warning"]),
  topic: z.enum(["accessibility", "performance"]),
  message: z.string(),
  selectors: list(z.string()),
});

const frameSchema = z.object({
  name: z.string().describe("The file with the picture."),
  top: z.number(),
  atMs: z.number(),
  changed: z
    .number()
    .nullable()
    .describe("The share of the window that changed by itself since the frame before, not by scrolling."),
  shifts: list(
    z.object({
      value: z.number(),
      box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
    }),
  )
    .optional()
    .describe("Layout shifts since the frame before, as the browser reckons them, and where in the window."),
});

export const motionSchema = z.object({
  patterns: list(motionPatternSchema),
  total: z.number(),
  unused: z
    .object({ patterns: z.number(), keyframes: z.number() })
    .describe(
      "Declared for elements that the page does not have, and keyframes that nothing uses: neither is a pattern.",
    ),
  categories: z.record(z.string(), z.number()),
  libraries: list(z.object({ name: z.string(), version: z.string(), evidence: z.string() })),
  canvases: list(z.object({ selector: z.string(), context: z.string(), isAnimated: z.boolean() })),
  scrollEffects: list(z.object({ type: z.string(), selector: z.string() })),
  webAnimations: z.number(),
  hasReducedMotion: z.boolean(),
  usesScript: z.object({ frameRequests: z.number(), intersectionObservers: z.number(), scrollListeners: z.number() }),
  warnings: list(motionWarningSchema),
  frames: z
    .object({
      stepPx: z.number(),
      list: list(frameSchema),
      error: z.string().optional().describe("Why there are none."),
    })
    .optional()
    .describe("Only if they were asked for, and in a browser."),
});

export type Motion = z.output<typeof motionSchema>;
export type MotionPattern = z.output<typeof motionPatternSchema>;
export type MotionTrigger = MotionPattern["trigger"];
export type MotionWarning = z.output<typeof motionWarningSchema>;
/** The window in pictures, while it was scrolled from the top of the page to its end. */
export type Frames = NonNullable<Motion["frames"]>;
