import { networkReason } from "../../../net/browser/browser-error.ts";
import type { Measurements } from "../measurements.ts";
import { found } from "./findings.ts";
import type { Finding } from "./quality.ts";

/** What loading the page showed: how long, how heavy, what failed. Bounds are those of Core Web Vitals where there are any. */
export function checkLoading(measured: Measurements): Finding[] {
  const checks = [...checkVitals(measured), ...checkRequests(measured), ...checkErrors(measured)];
  return checks.filter((item) => item !== false);
}

type Checks = readonly (Finding | false)[];

function checkVitals({ vitals }: Measurements): Checks {
  const { largestPaintMs, layoutShift, blockingMs, responseMs, shifts, longTasks } = vitals;
  const moved = new Set(shifts.map(({ selector }) => selector).filter((selector) => selector !== ""));
  const paint = `largest paint after ${seconds(largestPaintMs)} (${vitals.largestPaintElement}); good is 2.5 s`;
  const blocked = `${longTasks} long tasks block ${seconds(blockingMs)}; good is 0.2 s`;
  return [
    largestPaintMs > 2_500 && found("vitals-lcp", paint, worseIf(largestPaintMs > 4_000)),
    layoutShift > 0.1 &&
      found("vitals-cls", `layout shift ${layoutShift.toFixed(2)}; good is 0.1`, {
        ...worseIf(layoutShift > 0.25),
        selectors: [...moved],
        count: Math.max(1, shifts.length),
      }),
    blockingMs > 200 && found("vitals-tbt", blocked, { ...worseIf(blockingMs > 600), count: longTasks }),
    responseMs > 1_800 && found("vitals-ttfb", `first byte after ${seconds(responseMs)}; good is 0.8 s`),
  ];
}

function checkRequests({ requests }: Measurements): Checks {
  const bytes = requests.reduce((sum, request) => sum + request.bytes, 0);
  const failed = requests.filter(
    ({ url, status, failure, type }) =>
      type !== "document" &&
      !url.endsWith("/favicon.ico") &&
      (status >= 400 || failure !== "") &&
      !/ERR_ABORTED|ERR_BLOCKED_BY/.test(failure),
  );
  const reasons = failed.map(
    ({ url, status, failure }) =>
      `${url.slice(0, 120)} (${status === 0 ? (networkReason(failure) ?? failure.replace("net::", "")) : status})`,
  );
  const weight = `${(bytes / 1_000_000).toFixed(1)} MB in ${requests.length} requests`;
  return [
    bytes > 3_000_000 && found("weight", weight, worseIf(bytes > 8_000_000)),
    requests.length > 100 && found("requests", `${requests.length} requests`),
    failed.length > 0 && found("request-failed", reasons.slice(0, 3).join(", "), { count: failed.length }),
  ];
}

function checkErrors({ consoleErrors, dialogs, downloads, isHttps }: Measurements): Checks {
  // What could not be loaded is told as such; the browser's line about it would count it twice.
  const own = consoleErrors.filter((text) => !text.startsWith("Failed to load resource"));
  return [
    own.length > 0 && found("console-errors", ...firstOf(own, 3)),
    dialogs.length > 0 && found("dialogs", ...firstOf(dialogs, 2)),
    downloads.length > 0 && found("downloads", ...firstOf(downloads, 2)),
    !isHttps && found("https-missing", "http"),
  ];
}

function firstOf(list: readonly string[], max: number): [evidence: string, more: { count: number }] {
  return [list.slice(0, max).join(" | ").slice(0, 500), { count: list.length }];
}

function worseIf(isWorse: boolean): Pick<Finding, "severity"> | undefined {
  return isWorse ? { severity: "serious" } : undefined;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
