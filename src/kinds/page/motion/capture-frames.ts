import { setTimeout as delay } from "node:timers/promises";
import type { Artifacts } from "../../../job/kind.ts";
import { compareFrame, scrollWindow } from "../in-page/compare-frame.ts";
import { takeShifts } from "../in-page/take-shifts.ts";
import type { PageInput } from "../contract.ts";
import type { LivePage } from "../live-page.ts";
import type { Frames } from "./motion.ts";

/** A page that needs no scrolling is looked at for as many frames. */
const fewestFrames = 5;

export async function captureFrames(
  { evaluate, devtools }: Pick<LivePage, "evaluate" | "devtools">,
  wanted: NonNullable<PageInput["frames"]>,
  maxMs: number,
  artifacts: Pick<Artifacts, "save">,
  signal: AbortSignal,
): Promise<Frames> {
  const startedAt = performance.now();
  const list: Frames["list"][number][] = [];
  await evaluate(takeShifts());
  const { scrollable } = await evaluate(scrollWindow(0));
  const end = Math.max(0, Math.min(scrollable, wanted.height_px ?? Infinity));
  // A step that would take too many frames to the end is made wider.
  const stepPx = Math.max(wanted.step_px, Math.ceil(end / (wanted.max - 1)));
  const count = Math.min(wanted.max, Math.max(fewestFrames, Math.ceil(end / stepPx) + 1));
  while (list.length < count && performance.now() - startedAt < maxMs) {
    signal.throwIfAborted();
    const { top } = await evaluate(scrollWindow(Math.min(end, Math.round(list.length * stepPx))));
    const atMs = Math.round(performance.now() - startedAt);
    const format = wanted.format === "png" ? { format: "png" as const } : { format: "jpeg" as const, quality: 70 };
    const { data } = await devtools.send("Page.captureScreenshot", { ...format, optimizeForSpeed: true });
    const picture = Buffer.from(data, "base64");
    const name = `frame-${String(list.length).padStart(4, "0")}.${wanted.format}`;
    await artifacts.save(name, picture);
    const changed = await evaluate(compareFrame(picture, top - (list.at(-1)?.top ?? 0)));
    list.push({ name, top, atMs, changed, shifts: await evaluate(takeShifts()) });
    await delay(Math.max(0, wanted.interval_ms - (performance.now() - startedAt - atMs)), undefined, { signal });
  }
  await evaluate(scrollWindow(0));
  return { stepPx, list };
}
