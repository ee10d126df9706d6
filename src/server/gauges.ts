import { stat, statfs } from "node:fs/promises";
import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import type { Gauges } from "../operations/operation.ts";

const resolutionMs = 10;
const windowMs = 10_000;

/** Looks at the disk when somebody asks, and at the event loop all the time. */
export function startGauges(home: string, databaseFiles: readonly string[]): Gauges & { readonly stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let before = { p50: 0, p99: 0, max: 0 };
  const timer = setInterval(() => {
    before = readLag(delay);
    delay.reset();
  }, windowMs);
  timer.unref();
  return {
    disk: async () => {
      const sizes = await Promise.all(
        databaseFiles.map((file) =>
          stat(file).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      const databaseBytes = sizes.reduce((sum, size) => sum + size, 0);
      const place = await statfs(home).catch(() => undefined);
      return (
        place && {
          ...(databaseBytes === 0 ? {} : { databaseBytes }),
          freeBytes: place.bavail * place.bsize,
          totalBytes: place.blocks * place.bsize,
        }
      );
    },
    lag: () => {
      const now = readLag(delay);
      return {
        p50: Math.max(now.p50, before.p50),
        p99: Math.max(now.p99, before.p99),
        max: Math.max(now.max, before.max),
      };
    },
    stop: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}

/** It measures the time between two looks, of which the resolution is meant. */
function readLag(delay: IntervalHistogram): { p50: number; p99: number; max: number } {
  return delay.count === 0
    ? { p50: 0, p99: 0, max: 0 }
    : { p50: toMs(delay.percentile(50)), p99: toMs(delay.percentile(99)), max: toMs(delay.max) };
}

function toMs(nanoseconds: number): number {
  return Math.max(0, Math.round(nanoseconds / 1e5 - resolutionMs * 10) / 10);
}
