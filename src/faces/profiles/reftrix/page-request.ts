import { defined } from "../../../job/defined.ts";
import type { AnalyzeInput } from "./tools/analyze-input.ts";
import type { PageRequest } from "./page-jobs.ts";

/** A page that is still loading then is judged as it stands in its HTML. */
const longestLoadMs = 60_000;

/** `page_analyze` in the words of the operation `analyze_page`. */
export function toPageRequest(input: AnalyzeInput): PageRequest {
  const { layoutOptions, motionOptions, qualityOptions, responsiveOptions, timeout } = input;
  const wanted = { ...input.features, responsive: responsiveOptions.enabled };
  const features = (["layout", "motion", "quality", "responsive"] as const).filter((name) => wanted[name]);
  return {
    url: input.url,
    features: features.length === 0 ? ["layout"] : features,
    viewports: toViewports(responsiveOptions.viewports),
    wait_until: input.waitUntil,
    timeouts_ms: {
      load: Math.min(timeout, longestLoadMs),
      layout: input.layoutTimeout,
      motion: motionOptions.timeout ?? input.motionTimeout,
      quality: input.qualityTimeout,
      total: timeout,
    },
    attempts: input.auto_retry ? input.max_retries : 1,
    respect_robots: input.respect_robots_txt,
    include_html: wantsHtml(input),
    keep: layoutOptions.saveToDb ?? true,
    accept: !input.partial_results ? "complete" : input.timeout_strategy === "strict" ? "in_time" : "partial",
    ...toJudgement(qualityOptions),
    frames: toFrames(motionOptions),
    viewport: layoutOptions.viewport && {
      width: layoutOptions.viewport.width,
      height: layoutOptions.viewport.height,
    },
  };
}

export type FrameWishes = Partial<
  Pick<
    AnalyzeInput["motionOptions"],
    "detection_mode" | "enable_frame_capture" | "frame_capture_options" | "analyze_frames" | "frame_analysis_options"
  >
>;

/** Whether pictures are wanted; comparing them is what can be done without a video. */
export function wantsFrames(options: FrameWishes): boolean {
  return options.enable_frame_capture === true || comparesFrames(options);
}

export function comparesFrames({ detection_mode: mode, analyze_frames: isAsked }: FrameWishes): boolean {
  return isAsked === true || mode === "video" || mode === "hybrid";
}

export function toFrames(options: FrameWishes): PageRequest["frames"] {
  if (!wantsFrames(options)) return undefined;
  const given = options.frame_capture_options ?? {};
  const intervalMs = Math.min(10_000, given.frame_interval_ms ?? 1_000 / (given.frame_rate ?? 30));
  const { scroll_speed_px_per_sec: speed, scroll_duration_sec: seconds } = given;
  const stepPx = given.scroll_px_per_frame ?? (speed === undefined ? 15 : (speed * intervalMs) / 1_000);
  return {
    step_px: Math.min(16_384, Math.max(0.01, stepPx)),
    interval_ms: intervalMs,
    max: seconds === undefined ? undefined : Math.min(60, Math.max(2, Math.ceil((seconds * 1_000) / intervalMs))),
    height_px: given.page_height_px,
    format: given.output_format === "jpeg" ? "jpg" : "png",
  };
}

interface Judgement {
  readonly weights?: PageRequest["weights"] & { readonly originality?: number };
  readonly targetIndustry?: string;
  readonly targetAudience?: string;
}

/** By what a page is to be judged. */
export function toJudgement({ weights, targetIndustry, targetAudience }: Judgement): PageRequest {
  const { craftsmanship, contextuality } = weights ?? {};
  // With all weight on what is not rated, the other axes count as they do by themselves.
  const isRated = craftsmanship !== 0 || contextuality !== 0;
  return defined({
    weights: weights && isRated ? { craftsmanship, contextuality } : undefined,
    industry: targetIndustry,
    audience: targetAudience,
  });
}

export function wantsHtml({ layoutOptions }: AnalyzeInput): boolean {
  return layoutOptions.include_html ?? layoutOptions.includeHtml ?? false;
}

export function wantsScreenshot({ layoutOptions }: AnalyzeInput): boolean {
  return layoutOptions.include_screenshot ?? layoutOptions.includeScreenshot ?? false;
}

/** Reftrix takes any name, and the same one twice. */
export function toViewports(
  viewports: readonly { readonly name: string; readonly width: number; readonly height: number }[],
): NonNullable<PageRequest["viewports"]> {
  const names = new Set<string>();
  return viewports.map(({ name, width, height }) => {
    const base = slug(name);
    let free = base;
    for (let number = 2; names.has(free); number++) free = `${base.slice(0, 26)}-${number}`;
    names.add(free);
    return { name: free, width, height };
  });
}

function slug(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 30)
      .replace(/^-|-$/g, "") || "viewport"
  );
}
