import { artifactUri } from "../../../mcp/resources/job-uri.ts";
import type { FrameWishes } from "../page-request.ts";
import { roundTo } from "./color-math.ts";
import type { Found, View } from "./extent.ts";

type Frames = NonNullable<Found<"motion">["frames"]>;
type Box = NonNullable<Frames["list"][number]["shifts"]>[number]["box"];

export function viewFrameError(frames: Frames | undefined): { code: string; message: string } | undefined {
  const message = frames === undefined ? "Frames need a browser." : frames.error;
  return message === undefined ? undefined : { code: "FRAME_CAPTURE_ERROR", message };
}

/** The pictures are files of the job, so what stands for a folder and for paths are addresses that can be read. */
export function viewCapture(
  { list, stepPx }: Frames,
  jobId: string,
  options: FrameWishes["frame_capture_options"] = {},
): View {
  const isJpeg = options.output_format === "jpeg";
  const folder = artifactUri(jobId, "");
  return {
    total_frames: list.length,
    output_dir: folder,
    config: {
      scroll_px_per_frame: stepPx,
      frame_interval_ms: options.frame_interval_ms ?? roundTo(0, 1_000 / (options.frame_rate ?? 30)),
      output_format: isJpeg ? "jpeg" : "png",
      output_dir: folder,
      filename_pattern: `frame-{0000}.${isJpeg ? "jpg" : "png"}`,
    },
    files: list.map(({ name, top, atMs }, index) => ({
      frame_number: index,
      scroll_position_px: top,
      timestamp_ms: atMs,
      file_path: artifactUri(jobId, name),
    })),
    duration_ms: Math.round(list.at(-1)?.atMs ?? 0),
  };
}

interface Pair {
  readonly index: number;
  readonly share: number;
}

/** Frames with what changed since the one before. */
function pairsOf({ list }: Frames): Pair[] {
  return list.flatMap(({ changed }, index) => (changed === null ? [] : [{ index, share: changed }]));
}

interface Thresholds {
  readonly diff: number;
  readonly shift: number;
}

export function thresholdsOf(
  { diff_threshold: diff, cls_threshold: shift }: NonNullable<FrameWishes["frame_analysis_options"]> = {},
  usual: Thresholds,
): Thresholds {
  return { diff: diff ?? usual.diff, shift: shift ?? usual.shift };
}

/** How much changes from frame to frame, as `page.analyze` tells it. */
export function viewTimeline(frames: Frames, { diff, shift }: Thresholds): View {
  const pairs = pairsOf(frames);
  return {
    timeline: pairs.map(({ index, share }) => ({ frame_index: index, diff_percentage: share })),
    summary: {
      max_diff: Math.max(0, ...pairs.map(({ share }) => share)),
      avg_diff: averageOf(pairs),
      total_layout_shifts: shiftsOf(frames, shift).length,
      significant_change_frames: pairs.filter(({ share }) => share >= diff).map(({ index }) => index),
      processing_time_ms: Math.round(frames.list.at(-1)?.atMs ?? 0),
    },
  };
}

/** The same as `motion.detect` tells it, with the stretches in which something moved. Where to it moved is not measured. */
export function viewZones(
  frames: Frames,
  { diff, shift, detectedAt, ms }: Thresholds & { readonly detectedAt: string; readonly ms: number },
): View {
  const pairs = pairsOf(frames);
  const many = pairs.filter(({ share }) => share >= diff);
  const layoutShifts = shiftsOf(frames, shift);
  return {
    metadata: {
      totalFrames: frames.list.length,
      analyzedPairs: pairs.length,
      sampleInterval: 1,
      scrollPxPerFrame: frames.stepPx,
      analysisTime: `${(ms / 1_000).toFixed(2)}s`,
      analyzedAt: detectedAt,
    },
    statistics: {
      averageDiffPercentage: toPercent(averageOf(pairs)),
      significantChangeCount: many.length,
      significantChangePercentage: toPercent(pairs.length === 0 ? 0 : many.length / pairs.length),
      layoutShiftCount: layoutShifts.length,
      motionVectorCount: 0,
    },
    animationZones: stretchesOf(many).map((stretch) => viewZone(frames, stretch)),
    layoutShifts,
    motionVectors: [],
  };
}

/** Frames before which the page moved by itself, and the part of the window that it did so in. */
function shiftsOf({ list }: Frames, least: number): View[] {
  return list.flatMap(({ name, top, shifts = [] }, index) => {
    const value = shifts.reduce((sum, shift) => sum + shift.value, 0);
    const before = list[index - 1];
    if (before === undefined || value === 0 || value < least) return [];
    const frameRange = `${before.name} - ${name}`;
    const scrollRange = `${before.top}px - ${top}px`;
    return [{ frameRange, scrollRange, impactFraction: value.toFixed(4), boundingBox: around(shifts) }];
  });
}

function around(shifts: readonly { readonly box: Box }[]): Box {
  const x = Math.max(0, Math.min(...shifts.map(({ box }) => box.x)));
  const y = Math.max(0, Math.min(...shifts.map(({ box }) => box.y)));
  const right = Math.max(x, ...shifts.map(({ box }) => box.x + box.width));
  const bottom = Math.max(y, ...shifts.map(({ box }) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

function stretchesOf(pairs: readonly Pair[]): Pair[][] {
  const stretches: Pair[][] = [];
  for (const pair of pairs) {
    const last = stretches.at(-1);
    if (last?.at(-1)?.index === pair.index - 1) last.push(pair);
    else stretches.push([pair]);
  }
  return stretches;
}

function viewZone({ list }: Frames, stretch: readonly Pair[]): View {
  const [start, end] = [(stretch[0]?.index ?? 1) - 1, stretch.at(-1)?.index ?? 0];
  const [from, to] = [list[start], list[end]];
  const scrollStart = from?.top ?? 0;
  const scrollEnd = to?.top ?? scrollStart;
  const length = scrollEnd - scrollStart;
  return {
    frameStart: from?.name ?? "",
    frameEnd: to?.name ?? "",
    scrollStart,
    scrollEnd,
    duration: length,
    avgDiff: toPercent(averageOf(stretch)),
    peakDiff: toPercent(Math.max(0, ...stretch.map(({ share }) => share))),
    animationType: zoneTypes.find(([below]) => length < below)?.[1] ?? "long-form reveal",
  };
}

/** By how many pixels of scrolling it takes. */
const zoneTypes = [
  [500, "micro-interaction"],
  [1_500, "fade/slide transition"],
  [3_000, "scroll-linked animation"],
] as const;

function averageOf(pairs: readonly Pair[]): number {
  return pairs.length === 0 ? 0 : roundTo(4, pairs.reduce((sum, { share }) => sum + share, 0) / pairs.length);
}

function toPercent(share: number): string {
  return (share * 100).toFixed(2);
}
