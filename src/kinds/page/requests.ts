import type { CDPSession } from "playwright-core";
import type { RequestFacts } from "./measurements.ts";

type Noted = { -readonly [Key in keyof RequestFacts]: RequestFacts[Key] };

const maxRequests = 2_000;
const maxRedirects = 20;

/** Every request of a page, by the browser's number for it. */
export class RequestLog {
  readonly #seen = new Map<string, Noted>();
  readonly #open = new Set<string>();
  #lastAt = performance.now();
  #mainFrame: string | undefined;

  /** Follows them from now on. */
  static async start(devtools: CDPSession): Promise<RequestLog> {
    const log = new RequestLog();
    devtools.on("Network.requestWillBeSent", (event) => log.#ask(event));
    devtools.on("Network.responseReceived", ({ requestId, response, timestamp }) =>
      log.#note(requestId, { ...describeResponse(response), respondedMs: timestamp * 1_000 }),
    );
    devtools.on("Network.requestServedFromCache", ({ requestId }) => log.#note(requestId, { isFromCache: true }));
    devtools.on("Network.dataReceived", ({ requestId, dataLength }) =>
      log.#note(requestId, { bodyBytes: (log.#seen.get(requestId)?.bodyBytes ?? 0) + dataLength }),
    );
    devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength, timestamp }) => {
      const bytes = (log.#seen.get(requestId)?.bytes ?? 0) + encodedDataLength;
      log.#end(requestId, { bytes, endMs: timestamp * 1_000 });
    });
    devtools.on("Network.loadingFailed", ({ requestId, errorText, timestamp }) =>
      log.#end(requestId, { failure: errorText, endMs: timestamp * 1_000 }),
    );
    await devtools.send("Network.enable");
    return log;
  }

  get entries(): readonly (readonly [requestId: string, request: RequestFacts])[] {
    return [...this.#seen];
  }

  /** For how long nothing has been asked for or has come; 0 while something is under way. */
  get quietMs(): number {
    return this.#open.size > 0 ? 0 : performance.now() - this.#lastAt;
  }

  #ask(event: Asked): void {
    const { requestId, request, frameId = "", type } = event;
    const before = this.#seen.get(requestId);
    if (request.url.startsWith("data:") || (before === undefined && this.#seen.size >= maxRequests)) return;
    if (type === "Document") this.#mainFrame ??= frameId;
    const isOfMain = frameId === this.#mainFrame;
    const isMain = isOfMain && type === "Document";
    // The page went on to another by itself.
    if (isMain) for (const facts of this.#seen.values()) facts.isMain = false;
    const facts = { ...startOf(event), ...sentOn(event, before), isMain };
    this.#seen.set(requestId, { ...facts, isBlocking: facts.isBlocking && isOfMain });
    this.#open.add(requestId);
    this.#lastAt = performance.now();
  }

  #note(requestId: string, facts: Partial<Noted>): void {
    const known = this.#seen.get(requestId);
    if (known !== undefined) Object.assign(known, facts);
    this.#lastAt = performance.now();
  }

  #end(requestId: string, facts: Partial<Noted>): void {
    this.#note(requestId, facts);
    this.#open.delete(requestId);
  }
}

/** As much of the browser's event as is kept. */
interface Asked {
  readonly requestId: string;
  readonly frameId?: string;
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

interface Response {
  readonly status: number;
  readonly mimeType: string;
  readonly protocol?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fromDiskCache?: boolean;
  readonly fromPrefetchCache?: boolean;
}

function describeResponse(response: Response): Partial<Noted> {
  const header = headerOf(response.headers);
  const isFromCache = response.fromDiskCache === true || response.fromPrefetchCache === true;
  return {
    status: response.status,
    mimeType: response.mimeType.slice(0, 100),
    protocol: (response.protocol ?? "").slice(0, 20),
    encoding: header("content-encoding"),
    cacheControl: header("cache-control"),
    expires: header("expires"),
    ...(isFromCache ? { isFromCache } : {}),
  };
}

/** Of one name by whatever case it is written in. */
function headerOf(headers: Readonly<Record<string, string>>): (name: string) => string {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => (lower.get(name) ?? "").toLowerCase().slice(0, 300);
}
