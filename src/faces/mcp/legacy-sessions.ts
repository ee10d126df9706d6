import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport, type AuthInfo, type McpServer } from "@modelcontextprotocol/server";
import type { JobsContext } from "./connection.ts";
import { createEventStore } from "./event-store.ts";
import { trackStream } from "./tracked-stream.ts";

interface Session {
  readonly id: string;
  /** Who opened it. */
  readonly holder: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly ended: AbortController;
  lastUsedAt: number;
  /** Streams that the client reads; among them those that take messages which answer no request. */
  openStreams: number;
  openListeners: number;
}

interface SessionOptions {
  readonly build: (part: Pick<JobsContext, "canPush" | "signal">, authInfo: AuthInfo) => McpServer | Promise<McpServer>;
  /** A session that nobody uses for so long ends: clients often leave without saying so. */
  readonly idleMs: number;
  readonly most: number;
  readonly keepAliveMs: number;
  readonly onFault: (error: Error) => void;
}

const sessionHeader = "mcp-session-id";
/** After how long a client reopens a stream that was closed on it. */
const retryMs = 1_000;

/** The sessions of clients that speak a revision before 2026-07-28. Each belongs to whoever opened it. */
export class LegacySessions {
  readonly #sessions = new Map<string, Session>();
  readonly #options: SessionOptions;
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(50, options.idleMs / 4));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async fetch(request: Request, authInfo: AuthInfo, holder: string): Promise<Response> {
    const id = request.headers.get(sessionHeader);
    if (id === null) {
      if (request.method !== "POST") return refuse(400, -32_000, "Bad Request: Mcp-Session-Id header is required");
      return this.#open(request, authInfo, holder);
    }
    const session = this.#sessions.get(id);
    // Somebody else's session looks like one that does not exist.
    if (session === undefined || session.holder !== holder) return refuse(404, -32_001, "Session not found");
    return this.#serve(session, request, authInfo);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  async #open(request: Request, authInfo: AuthInfo, holder: string): Promise<Response> {
    this.#makeRoom();
    if (this.#sessions.size >= this.#options.most) return refuse(503, -32_000, "Too many sessions; try again later");
    const session = this.#create(holder);
    const mcp = await this.#options.build(
      { canPush: () => session.openListeners > 0, signal: session.ended.signal },
      authInfo,
    );
    await mcp.connect(session.transport);
    const response = await this.#serve(session, request, authInfo);
    // It was no initialize: there is no session that could be found again.
    if (!this.#sessions.has(session.id)) void this.#abandon(session, response);
    return response;
  }

  #create(holder: string): Session {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: createEventStore(),
      retryInterval: retryMs,
      keepAliveMs: this.#options.keepAliveMs,
      onsessioninitialized: () => void this.#sessions.set(id, session),
      onsessionclosed: () => this.#end(session),
    });
    const session: Session = {
      id,
      holder,
      transport,
      ended: new AbortController(),
      lastUsedAt: performance.now(),
      openStreams: 0,
      openListeners: 0,
    };
    return session;
  }

  async #serve(session: Session, request: Request, authInfo: AuthInfo): Promise<Response> {
    session.lastUsedAt = performance.now();
    const response = await session.transport.handleRequest(request, { authInfo });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!isStream || response.body === null) return response;
    const isListener = request.method === "GET" ? 1 : 0;
    session.openStreams += 1;
    session.openListeners += isListener;
    const body = trackStream(response.body, request.signal, () => {
      session.openStreams -= 1;
      session.openListeners -= isListener;
      session.lastUsedAt = performance.now();
    });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  async #abandon(session: Session, response: Response): Promise<void> {
    if (response.status >= 400) await this.#end(session);
  }

  #sweep(): void {
    const before = performance.now() - this.#options.idleMs;
    for (const session of this.#sessions.values()) {
      if (session.openStreams === 0 && session.lastUsedAt < before) void this.#end(session);
    }
  }

  /** A full house lets go of the session that was idle for longest. */
  #makeRoom(): void {
    if (this.#sessions.size < this.#options.most) return;
    const [oldest] = [...this.#sessions.values()]
      .filter(({ openStreams }) => openStreams === 0)
      .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt);
    if (oldest !== undefined) void this.#end(oldest);
  }

  async #end(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    session.ended.abort();
    await session.transport.close().catch((error: unknown) => this.#options.onFault(error as Error));
  }
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
