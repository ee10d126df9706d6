import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, CDPSession } from "playwright-core";
import { JobFailure, messageOf } from "../../job/failure.ts";
import { guardedBrowserArguments, type BrowserProxy } from "../proxy/browser-proxy.ts";
import { toBrowserError } from "./browser-error.ts";

export interface LaunchOptions {
  readonly executable: string;
  /** Where the browser keeps its profile and temporary files; what it leaves there goes with it. */
  readonly folder: string;
  /** All that the browser fetches goes through this proxy, loopback included. */
  readonly proxy: Pick<BrowserProxy, "server" | "username" | "password">;
  readonly sandbox: boolean;
  readonly searchPath: string;
}

export interface LaunchedBrowser {
  readonly browser: Browser;
  /** Resolves when the browser answers, which one that hangs never does. */
  readonly ping: () => Promise<unknown>;
  /** Ends it whatever state it is in. */
  readonly kill: () => void;
  /** Resolves when it has ended and its files are gone. */
  readonly gone: Promise<void>;
}

/** No lookups of names, which are the proxy's to make; no calls of its own to its maker, as far as it listens. */
const switches = [
  ...guardedBrowserArguments,
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-breakpad",
];

/** Starts a browser with a profile of its own, which goes when it ends. Playwright's code is loaded only now. */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const { chromium } = await import("playwright-core");
  const folder = mkdtempSync(join(options.folder, "run-"));
  // Its last processes may still write when it has hung up. What stays after all is swept at the next start.
  const removeFolder = (): Promise<void> =>
    rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => undefined);
  try {
    // A browser with a folder of its own choice makes it in the system's; contexts of jobs are made beside this one.
    const first = await chromium.launchPersistentContext(join(folder, "profile"), {
      executablePath: options.executable,
      chromiumSandbox: options.sandbox,
      proxy: options.proxy,
      env: { PATH: options.searchPath, HOME: folder, TMPDIR: folder, LANG: "en_US.UTF-8" },
      artifactsDir: join(folder, "artifacts"),
      args: switches,
      timeout: 30_000,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const browser = first.browser();
    if (browser === null) throw new Error("the browser gave no connection");
    const gone = new Promise<void>((resolve) => {
      browser.once("disconnected", () => resolve(removeFolder()));
    });
    const session = await browser.newBrowserCDPSession();
    const pid = await readPid(session);
    return {
      browser,
      gone,
      ping: () => session.send("Browser.getVersion"),
      // While it is connected it has not been waited for, so the number is still its own.
      kill: () => (browser.isConnected() ? killGroup(pid) : undefined),
    };
  } catch (error) {
    await removeFolder();
    throw new JobFailure(
      "browser_failed",
      `${options.executable} did not start: ${firstLines(error)}${options.sandbox ? " If it has no rights for its sandbox here, set browser.sandbox to false in the configuration." : ""}`,
      { cause: error },
    );
  }
}

async function readPid(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const main = processInfo.find(({ type }) => type === "browser");
  if (main === undefined) throw new Error("the browser did not name its process");
  return main.id;
}

/** The browser leads a group of its own; where a wrapper does, the rest ends with the browser. */
function killGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
      return;
    } catch {
      // It leads no group, or has ended by itself.
    }
  }
}

function firstLines(error: unknown): string {
  return messageOf(toBrowserError(error)).split("\n").slice(0, 2).join(" ").slice(0, 300);
}
