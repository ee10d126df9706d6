import { LonghaulError } from "../../job/error.ts";
import { JobFailure } from "../../job/failure.ts";
import { defineKind, type Kind } from "../../job/kind.ts";
import type { AddressRules } from "../../net/address/address-rules.ts";
import type { SharedBrowser } from "../../net/browser/shared-browser.ts";
import type { GuardedFetch } from "../../net/fetch/guarded-fetch.ts";
import type { Robots } from "../../net/robots/robots.ts";
import { pageContract, type KeptPage } from "./contract.ts";
import type { BrowserSteps } from "./steps.ts";

export interface PageSettings {
  readonly browser: SharedBrowser;
  readonly fetch: GuardedFetch["fetch"];
  readonly robots: Robots;
  readonly rules: Pick<AddressRules, "checkUrl">;
  /** How many pages are analysed at once. */
  readonly concurrency: number;
  /** Keeps an analysed page for longer than its job; absent where none are kept. */
  readonly keep?: (page: KeptPage) => Promise<void>;
  /** Where the program of the thread lies that reads pages without a browser. */
  readonly staticThread?: URL;
  /** What looks at the page; tests pass steps that fail. */
  readonly steps?: BrowserSteps;
}

/** A page of HTML in any alphabet. */
const maxInputBytes = 8_000_000;

/** Where HTML without an address is shown: a name that leads nowhere. */
const nowhere = "http://html.invalid/";

/** Analyses a web page in a real browser: layout, motion, quality, and how it adapts to the window. */
export function createPageKind(settings: PageSettings): Kind {
  return defineKind({
    ...pageContract,
    onInterrupt: "resume",
    concurrency: settings.concurrency,
    limits: { graceMs: 30_000 },
    maxInputBytes,
    check: ({ url = nowhere }) => checkUrl(url, settings),
    run: async (input, context) => {
      const { analyzePage } = await import("./analyze-page.ts");
      return analyzePage({ ...input, url: input.url ?? nowhere }, context, settings);
    },
  });
}

/** Refused before a job is made, as far as the address alone tells. */
function checkUrl(url: string, { rules }: PageSettings): void {
  try {
    rules.checkUrl(url);
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    throw new LonghaulError(error.code === "bad_url" ? "invalid_input" : "not_allowed", error.message, {
      cause: error,
    });
  }
}
