import { z } from "zod";
import { defined } from "../../../../job/defined.ts";
import { pageUrl } from "./analyze-input.ts";
import { ignoredByDetect } from "../ignored-parameters.ts";
import { exactlyOne } from "../job-id.ts";
import { pageWith } from "./layout-tools.ts";
import { toFrames } from "../page-request.ts";
import { phaseMs, viewMotion } from "../part-views.ts";
import { defineReftrixTool, opensPages } from "../reftrix-tool.ts";

const severities = ["info", "warning", "error"] as const;

const detectInput = z.looseObject({
  html: z.string().min(1).max(2_000_000).optional(),
  pageId: z.uuid().optional().describe("The id of an analysed page."),
  url: pageUrl.optional(),
  css: z.string().max(500_000).optional().describe("More CSS for the HTML."),
  detection_mode: z
    .enum(["css", "video", "runtime", "hybrid"])
    .optional()
    .describe("video and hybrid also compare frames of the page while it is scrolled."),
  minDuration: z.number().min(0).default(0),
  maxPatterns: z.int().min(1).max(4_000).default(100),
  min_severity: z.enum(severities).default("info").describe("Leaves out lesser warnings."),
  verbose: z.boolean().default(false),
  detect_js_animations: z.boolean().optional(),
  timeout: z.int().min(1_000).max(600_000).default(180_000),
});

export const detectTool = defineReftrixTool({
  name: "motion_detect",
  title: "Motion Detect",
  description: "The animations and transitions of a page or of HTML: category, trigger, duration, cost, warnings.",
  input: detectInput,
  annotations: opensPages,
  ignored: ignoredByDetect,
  run: async (context, input, ignored) => {
    const { key, value } = exactlyOne(input, "html", "pageId", "url");
    const limits = { timeouts_ms: { total: input.timeout } };
    const source = {
      html: { html: `${styleOf(input.css)}${value}`, ...limits },
      pageId: { id: value },
      url: { url: value, ...limits },
    }[key];
    const { id, analysis, links } = await pageWith("motion", context, source, defined({ frames: toFrames(input) }));
    const { motion } = analysis;
    const isTold = ({ severity }: { severity: string }): boolean =>
      severities.findIndex((known) => known === severity) >= severities.indexOf(input.min_severity);
    const view =
      motion &&
      viewMotion(
        { ...motion, warnings: motion.warnings.filter(isTold) },
        { ...input, includeWarnings: true },
        { isLight: !input.verbose, limit: input.maxPatterns },
      );
    const warnings = [
      ...((view?.["warnings"] as object[] | undefined) ?? []),
      ...ignored.map(({ code, message }) => ({ code, severity: "info", message })),
    ];
    return { links, data: { pageId: id, ...view, warnings, processingTimeMs: phaseMs(analysis, "motion") } };
  },
});

/** Before the HTML a style sheet is part of its head. */
function styleOf(css: string | undefined): string {
  return css === undefined ? "" : `<!doctype html><style>${css.replace(/<\/style/gi, "<\\/style")}</style>`;
}
