import type { CDPSession, Page } from "playwright-core";
import type { RequestFacts } from "./measurements.ts";

/** What went over the wire, and what the page said and tried, since it began to load. */
export interface Traffic {
  readonly requests: () => RequestFacts[];
  readonly consoleErrors: readonly string[];
  readonly dialogs: readonly string[];
  readonly downloads: readonly string[];
  /** The text of style sheets from other origins, which scripts in the page may not read. */
  readonly foreignSheets: (pageUrl: string) => Promise<Record<string, string>>;
}

const maxRequests = 2_000;
const maxNotes = 50;
const maxSheets = 20;
const maxSheetCharacters = 2_000_000;

type Followed = { -readonly [Key in keyof RequestFacts]: RequestFacts[Key] };

export async function watchTraffic(page: Page, devtools: CDPSession): Promise<Traffic> {
  const requests = new Map<string, Followed>();
  const consoleErrors: string[] = [];
  const dialogs: string[] = [];
  const downloads: string[] = [];
  devtools.on("Network.requestWillBeSent", ({ requestId, request, type }) => {
    if (requests.size < maxRequests && !request.url.startsWith("data:")) {
      requests.set(requestId, {
        url: request.url.slice(0, 2_000),
        type: (type ?? "Other").toLowerCase(),
        status: 0,
        bytes: 0,
        failure: "",
      });
    }
  });
  devtools.on("Network.responseReceived", ({ requestId, response }) => {
    const known = requests.get(requestId);
    if (known !== undefined) known.status = response.status;
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const known = requests.get(requestId);
    if (known !== undefined) known.bytes = encodedDataLength;
  });
  devtools.on("Network.loadingFailed", ({ requestId, errorText }) => {
    const known = requests.get(requestId);
    if (known !== undefined) known.failure = errorText;
  });
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
  await devtools.send("Network.enable");
  return {
    requests: () => [...requests.values()],
    consoleErrors,
    dialogs,
    downloads,
    foreignSheets: (pageUrl) => readSheets(devtools, requests, new URL(pageUrl).origin),
  };
}

function note(list: string[], text: string): void {
  if (list.length < maxNotes) list.push(text.slice(0, 500));
}

async function readSheets(
  devtools: CDPSession,
  requests: ReadonlyMap<string, RequestFacts>,
  origin: string,
): Promise<Record<string, string>> {
  const foreign = [...requests].filter(
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
