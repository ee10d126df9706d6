import { defined } from "../../../../job/defined.ts";
import { ReftrixError } from "../error-codes.ts";
import { ignoredByDetect, type Warning } from "../ignored-parameters.ts";
import { exactlyOne } from "../job-id.ts";
import { pageWith, type AnalysedPage, type PageRequest } from "../page-jobs.ts";
import { toFrames, type FrameWishes } from "../page-request.ts";
import { defineReftrixTool, looksUp, type ReftrixReply } from "../reftrix-tool.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { timedOut, viewDetection } from "../views/detection-view.ts";
import { detectInput, type DetectInput, type Detection } from "./detect-input.ts";

export const detectTool = defineReftrixTool({
  name: "motion_detect",
  title: "Motion Detect",
  description: "The animations and transitions of a page or of HTML: category, trigger, timing, cost, warnings.",
  input: detectInput,
  annotations: looksUp,
  ignored: ignoredByDetect,
  codes: {
    JOB_NOT_FOUND: "PAGE_NOT_FOUND",
    MOTION_DETECTION_FAILED: "DETECTION_ERROR",
    NETWORK_ERROR: "DETECTION_ERROR",
    HTTP_ERROR: "DETECTION_ERROR",
    BROWSER_ERROR: "DETECTION_ERROR",
    BROWSER_UNAVAILABLE: "SERVICE_UNAVAILABLE",
  },
  run: detect,
});

async function detect(
  context: OperationContext,
  input: DetectInput,
  ignored: readonly Warning[],
): Promise<ReftrixReply> {
  const source = sourceOf(input);
  const detection = toDetection(input, source.key);
  const startedAt = performance.now();
  const page = await analyseMotion(context, source, input, detection);
  const ms = Math.round(performance.now() - startedAt);
  if (page?.analysis.motion === undefined) {
    if (page !== undefined && !isLate(page)) {
      const reason = page.analysis.phases.find(({ name }) => name === "motion")?.reason;
      throw new ReftrixError("DETECTION_ERROR", reason ?? "The motion of the page could not be read.");
    }
    return { data: timedOut(detection, ms) };
  }
  return { links: page.links, data: viewDetection(page, page.analysis.motion, { detection, ms, ignored }) };
}

/** Undefined if its time has passed: that is an answer here, not an error. */
async function analyseMotion(
  context: OperationContext,
  { key, value }: ReturnType<typeof sourceOf>,
  input: DetectInput,
  detection: Detection,
): Promise<AnalysedPage | undefined> {
  const timeouts: PageRequest = { timeouts_ms: { motion: input.timeout, total: input.timeout } };
  const source = {
    html: { html: `${baseOf(input.baseUrl)}${styleOf(input.css)}${value}`, ...timeouts },
    pageId: { id: value },
    url: { url: value, ...timeouts },
  }[key];
  try {
    return await pageWith("motion", context, source, defined({ frames: toFrames(framesOf(detection)) }));
  } catch (error) {
    if (error instanceof ReftrixError && error.code === "TIMEOUT_ERROR") return undefined;
    throw error;
  }
}

function framesOf({ captures, frame_capture_options: options }: Detection): FrameWishes {
  return { enable_frame_capture: captures, frame_capture_options: options };
}

function isLate({ analysis }: AnalysedPage): boolean {
  return analysis.phases.some(({ name, state }) => name === "motion" && state === "timed_out");
}

/** A video of an address makes HTML and a page's id beside it needless. */
function sourceOf(input: DetectInput): { readonly key: "html" | "pageId" | "url"; readonly value: string } {
  if (input.url !== undefined && input.detection_mode !== "css") return { key: "url", value: input.url };
  if (input.html !== undefined && input.pageId !== undefined) return { key: "html", value: input.html };
  return exactlyOne(input, "html", "pageId", "url");
}

/** An address is looked at in frames unless another mode is asked for. */
function toDetection(input: DetectInput, key: "html" | "pageId" | "url"): Detection {
  const mode = input.detection_mode ?? (key === "url" ? "video" : "css");
  const compares = input.analyze_frames ?? (mode === "video" && input.enable_frame_capture !== false);
  const captures = input.enable_frame_capture ?? (mode === "video" || compares);
  return { ...input, mode, captures: captures || compares, compares };
}

/** Where relative addresses in the HTML lead. */
function baseOf(url: string | undefined): string {
  return url === undefined ? "" : `<!doctype html><base href="${url.replace(/"/g, "%22")}">`;
}

/** Before the HTML a style sheet is part of its head. */
function styleOf(css: string | undefined): string {
  return css === undefined ? "" : `<!doctype html><style>${css.replace(/<\/style/gi, "<\\/style")}</style>`;
}
