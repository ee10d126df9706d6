import { JobFailure } from "../../job/failure.ts";
import { findProgram, isProgram } from "../../text/find-program.ts";

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "microsoft-edge-stable",
  "microsoft-edge",
];

/** Debian's program before its wrapper, which prints complaints; then where other packages and macOS put theirs. */
const defaultPlaces = [
  "/usr/lib/chromium/chromium",
  "/opt/google/chrome/chrome",
  "/opt/microsoft/msedge/msedge",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

export interface BrowserSearch {
  /** What the configuration names; then nothing else is looked for. */
  readonly executable?: string;
  /** The PATH variable. */
  readonly searchPath: string;
}

/** An installed Chromium, Chrome or Edge. */
export function findBrowser({ executable, searchPath }: BrowserSearch): string | undefined {
  if (executable !== undefined) return isProgram(executable) ? executable : undefined;
  return defaultPlaces.find(isProgram) ?? findProgram(names, searchPath);
}

export function browserMissing({ executable }: BrowserSearch): JobFailure {
  const found =
    executable === undefined ? "No Chromium, Chrome or Edge was found" : `There is no program at ${executable}`;
  return new JobFailure(
    "browser_missing",
    `${found}: install one (Debian: apt-get install -y --no-install-recommends chromium fonts-liberation; macOS: brew install --cask chromium), or set browser.executable in the configuration.`,
    { retryable: false },
  );
}
