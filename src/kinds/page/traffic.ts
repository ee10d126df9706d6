import type { CDPSession, Page } from "playwright-core";
import type { RequestFacts } from "./measurements.ts";
import { RequestLog } from "./requests.ts";

/** What went over the wire, and what the page said and tried, since it began to load. */
export interface Traffic {
  readonly requests: () => RequestFacts[];
  /** For how long nothing has been asked for or has come; 0 while something is under way. */
  readonly quietMs: () => number;
  /** What a request brought, unpacked; undefined where the browser has it no more. */
  readonly readBody: (request: RequestFacts) => Promise<Buffer | string | undefined>;
  readonly consoleErrors: readonly string[];
  readonly dialogs: readonly string[];
  readonly downloads: readonly string[];
  /** The text of style sheets from other origins, which scripts in the page may not read. */
  readonly foreignSheets: (pageUrl: string) => Promise<Record<string, string>>;
}

const maxNotes = 50;
const maxSheets = 20;
const maxSheetCharacters = 2_000_000;

export async function watchTraffic(page: Page, devtools: CDPSession): Promise<Traffic> {
  const consoleErrors: string[] = [];
  const dialogs: string[] = [];
  const downloads: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") note(consoleErrors, message.text());
  });
  page.on("pageerror", (error) => note(consoleErrors, error.message));
  page.on("dialog", (dialog) => {
    note(dialogs, `${dialog.type()}: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on("download", (download) => {
    note(downloads, download.url());
    download.cancel().catch(() => undefined);
  });
  const log = await RequestLog.start(devtools);
  return {
    requests: () => log.entries.map(([, request]) => request),
    quietMs: () => log.quietMs,
    readBody: async (wanted) => {
      const requestId = log.entries.find(([, request]) => request === wanted)?.[0];
      if (requestId === undefined) return undefined;
      const answer = await devtools.send("Network.getResponseBody", { requestId }).catch(() => undefined);
      return answer?.base64Encoded === true ? Buffer.from(answer.body, "base64") : answer?.body;
    },
    consoleErrors,
    dialogs,
    downloads,
    foreignSheets: (pageUrl) => readSheets(devtools, log, new URL(pageUrl).origin),
  };
}

function note(list: string[], text: string): void {
  if (list.length < maxNotes) list.push(text.slice(0, 500));
}

async function readSheets(devtools: CDPSession, log: RequestLog, origin: string): Promise<Record<string, string>> {
  const foreign = log.entries.filter(
    ([, { type, url, status }]) => type === "stylesheet" && status === 200 && new URL(url).origin !== origin,
  );
  const texts = await Promise.all(
    foreign.slice(0, maxSheets).map(async ([requestId, { url }]) => {
      const answer = await devtools.send("Network.getResponseBody", { requestId }).catch(() => undefined);
      return answer === undefined || answer.base64Encoded || answer.body.length > maxSheetCharacters
        ? []
        : [[url, answer.body] as const];
    }),
  );
  return Object.fromEntries(texts.flat());
}
