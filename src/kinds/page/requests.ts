import type { CDPSession } from "playwright-core";
import type { RequestFacts } from "./measurements.ts";

type Noted = { -readonly [Key in keyof RequestFacts]: RequestFacts[Key] };

export interface SeenRequest {
  readonly facts: Noted;
}

export interface SeenRequests {
  readonly seen: ReadonlyMap<string, SeenRequest>;
  readonly quietMs: () => number;
}

const maxRequests = 2_000;
const maxRedirects = 20;

/** Follows every request of the page from now on. */
export async function watchRequests(devtools: CDPSession): Promise<SeenRequests> {
  const seen = new Map<string, SeenRequest>();
  const open = new Set<string>();
  let lastAt = performance.now();
  let mainFrame: string | undefined;
  const end = (requestId: string): void => {
    open.delete(requestId);
    lastAt = performance.now();
  };
  devtools.on("Network.requestWillBeSent", (event) => {
    const { requestId, request, frameId = "" } = event;
    const before = seen.get(requestId);
    if (request.url.startsWith("data:") || (before === undefined && seen.size >= maxRequests)) return;
    const isDocument = event.type === "Document";
    if (isDocument) mainFrame ??= frameId;
    const isMain = isDocument && frameId === mainFrame;
    if (isMain) for (const { facts } of seen.values()) facts.isMain = false;
    const facts = { ...startOf(event), ...sentOn(event, before?.facts), isMain };
    seen.set(requestId, { facts: { ...facts, isBlocking: facts.isBlocking && frameId === mainFrame } });
    open.add(requestId);
    lastAt = performance.now();
  });
  devtools.on("Network.responseReceived", ({ requestId, response, timestamp }) => {
    const facts = seen.get(requestId)?.facts;
    if (facts === undefined) return;
    const header = headerOf(response.headers);
    Object.assign(facts, {
      status: response.status,
      mimeType: response.mimeType.slice(0, 100),
      protocol: (response.protocol ?? "").slice(0, 20),
      encoding: header("content-encoding"),
      cacheControl: header("cache-control"),
      expires: header("expires"),
      isFromCache: response.fromDiskCache === true || response.fromPrefetchCache === true,
      respondedMs: timestamp * 1_000,
    });
  });
  devtools.on("Network.requestServedFromCache", ({ requestId }) => {
    const facts = seen.get(requestId)?.facts;
    if (facts !== undefined) facts.isFromCache = true;
  });
  devtools.on("Network.dataReceived", ({ requestId, dataLength }) => {
    const facts = seen.get(requestId)?.facts;
    if (facts !== undefined) facts.bodyBytes += dataLength;
    lastAt = performance.now();
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength, timestamp }) => {
    const facts = seen.get(requestId)?.facts;
    if (facts !== undefined) Object.assign(facts, { bytes: facts.bytes + encodedDataLength, endMs: timestamp * 1_000 });
    end(requestId);
  });
  devtools.on("Network.loadingFailed", ({ requestId, errorText, timestamp }) => {
    const facts = seen.get(requestId)?.facts;
    if (facts !== undefined) Object.assign(facts, { failure: errorText, endMs: timestamp * 1_000 });
    end(requestId);
  });
  await devtools.send("Network.enable");
  return { seen, quietMs: () => (open.size > 0 ? 0 : performance.now() - lastAt) };
}

/** As much of the browser's event as is kept. */
interface Asked {
  readonly request: { readonly url: string; readonly method: string };
  readonly timestamp: number;
  readonly type?: string;
  readonly renderBlockingBehavior?: string;
  readonly redirectResponse?: { readonly url: string; readonly encodedDataLength: number };
}

function startOf({ request, timestamp, type, renderBlockingBehavior }: Asked): Omit<Noted, "isMain"> {
  return {
    url: request.url.slice(0, 2_000),
    type: (type ?? "Other").toLowerCase(),
    method: request.method.slice(0, 20),
    status: 0,
    bytes: 0,
    bodyBytes: 0,
    failure: "",
    mimeType: "",
    encoding: "",
    protocol: "",
    cacheControl: "",
    expires: "",
    isFromCache: false,
    // What stands further down holds up only what comes after it.
    isBlocking: renderBlockingBehavior === "Blocking",
    redirects: [],
    startMs: timestamp * 1_000,
    respondedMs: 0,
    endMs: 0,
  };
}

/** What is carried over from before it was sent on to another address. */
function sentOn({ redirectResponse }: Asked, before: Noted | undefined): Partial<Noted> {
  if (redirectResponse === undefined || before === undefined) return {};
  return {
    redirects: [...before.redirects, redirectResponse.url.slice(0, 2_000)].slice(-maxRedirects),
    bytes: before.bytes + Math.max(0, redirectResponse.encodedDataLength),
    startMs: before.startMs,
    isBlocking: before.isBlocking,
  };
}

/** Of one name by whatever case it is written in. */
function headerOf(headers: Readonly<Record<string, string>>): (name: string) => string {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => (lower.get(name) ?? "").toLowerCase().slice(0, 300);
}
