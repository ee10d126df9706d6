import type { Measurements } from "../measurements.ts";
import { finding, type Finding } from "./findings.ts";

/** What loading the page showed: how long, how heavy, what failed. Bounds are those of Core Web Vitals where there are any. */
export function checkLoading(measured: Measurements): Finding[] {
  return [...checkVitals(measured), ...checkRequests(measured), ...checkErrors(measured)];
}

function checkVitals({ vitals }: Measurements): Finding[] {
  const { largestPaintMs, layoutShift, blockingMs, responseMs, shifts } = vitals;
  const found: (Finding | false)[] = [
    largestPaintMs > 2_500 &&
      finding({
        id: "vitals-lcp",
        topic: "performance",
        severity: largestPaintMs > 4_000 ? "serious" : "moderate",
        title: "The main content appears late",
        evidence: `largest paint after ${seconds(largestPaintMs)} (${vitals.largestPaintElement}); good is 2.5 s`,
        advice: "Load that element's resources first, and fewer before it.",
      }),
    layoutShift > 0.1 &&
      finding({
        id: "vitals-cls",
        topic: "performance",
        severity: layoutShift > 0.25 ? "serious" : "moderate",
        title: "Content moves while the page loads",
        evidence: `layout shift ${layoutShift.toFixed(2)}; good is 0.1`,
        advice: "Reserve space for what comes later.",
        selectors: [...new Set(shifts.map(({ selector }) => selector).filter((selector) => selector !== ""))],
        count: Math.max(1, shifts.length),
      }),
    blockingMs > 200 &&
      finding({
        id: "vitals-tbt",
        topic: "performance",
        severity: blockingMs > 600 ? "serious" : "moderate",
        title: "Scripts keep the page from answering",
        evidence: `${vitals.longTasks} long tasks block ${seconds(blockingMs)}; good is 0.2 s`,
        advice: "Split or defer long scripts.",
        count: vitals.longTasks,
      }),
    responseMs > 1_800 &&
      finding({
        id: "vitals-ttfb",
        topic: "performance",
        severity: "moderate",
        title: "The server answers late",
        evidence: `first byte after ${seconds(responseMs)}; good is 0.8 s`,
        advice: "Cache the page, or serve it from nearer.",
      }),
  ];
  return found.filter((item) => item !== false);
}

function checkRequests({ requests }: Measurements): Finding[] {
  const bytes = requests.reduce((sum, request) => sum + request.bytes, 0);
  const failed = requests.filter(
    ({ url, status, failure, type }) =>
      type !== "document" &&
      !url.endsWith("/favicon.ico") &&
      (status >= 400 || failure !== "") &&
      !/ERR_ABORTED|ERR_BLOCKED_BY/.test(failure),
  );
  const found: (Finding | false)[] = [
    bytes > 3_000_000 &&
      finding({
        id: "weight",
        topic: "performance",
        severity: bytes > 8_000_000 ? "serious" : "moderate",
        title: "The page is heavy",
        evidence: `${(bytes / 1_000_000).toFixed(1)} MB in ${requests.length} requests`,
        advice: "Compress images and drop what is not needed.",
      }),
    requests.length > 100 &&
      finding({
        id: "requests",
        topic: "performance",
        severity: "minor",
        title: "The page needs many requests",
        evidence: `${requests.length} requests`,
        advice: "Join small files, and load what is below later.",
      }),
    failed.length > 0 &&
      finding({
        id: "request-failed",
        topic: "errors",
        severity: "moderate",
        title: "Parts of the page could not be loaded",
        evidence: failed
          .slice(0, 3)
          .map(({ url, status, failure }) => `${url.slice(0, 120)} (${status === 0 ? failure : status})`)
          .join(", "),
        advice: "Correct or remove these addresses.",
        count: failed.length,
      }),
  ];
  return found.filter((item) => item !== false);
}

function checkErrors({ consoleErrors, dialogs, downloads, isHttps }: Measurements): Finding[] {
  // What could not be loaded is told as such; the browser's line about it would count it twice.
  const own = consoleErrors.filter((text) => !text.startsWith("Failed to load resource"));
  const found: (Finding | false)[] = [
    own.length > 0 &&
      finding({
        id: "console-errors",
        topic: "errors",
        severity: "moderate",
        title: "Scripts report errors",
        evidence: own.slice(0, 3).join(" | ").slice(0, 500),
        advice: "Correct the scripts; see the browser's console.",
        count: own.length,
      }),
    dialogs.length > 0 &&
      finding({
        id: "dialogs",
        topic: "practice",
        severity: "moderate",
        title: "The page opens dialogs by itself",
        evidence: dialogs.slice(0, 2).join(" | "),
        advice: "Show messages in the page.",
        count: dialogs.length,
      }),
    downloads.length > 0 &&
      finding({
        id: "downloads",
        topic: "practice",
        severity: "moderate",
        title: "The page starts downloads by itself",
        evidence: downloads.slice(0, 2).join(" | "),
        advice: "Download only what somebody asks for.",
        count: downloads.length,
      }),
    !isHttps &&
      finding({
        id: "https-missing",
        topic: "practice",
        severity: "moderate",
        title: "The page is not served over https",
        evidence: "http",
        advice: "Serve it over https, and redirect http to it.",
      }),
  ];
  return found.filter((item) => item !== false);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
