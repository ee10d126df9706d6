import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport, type AuthInfo, type McpServer } from "@modelcontextprotocol/server";
import type { Actor } from "../../../engine/access.ts";
import type { JobsContext } from "../connection.ts";
import { Shares } from "../../door/shares.ts";
import { createEventStore } from "./event-store.ts";
import { refuse } from "./refuse.ts";
import { trackStream } from "./tracked-stream.ts";

interface Session {
  readonly id: string;
  /** Who opened it. */
  readonly holder: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly ended: AbortController;
  /** Gives its place to somebody else. */
  release: () => void;
  lastUsedAt: number;
  /** Streams that the client reads; among them those that take messages which answer no request. */
  openStreams: number;
  openListeners: number;
}

interface SessionOptions {
  readonly build: (part: Pick<JobsContext, "canPush" | "signal">, authInfo: AuthInfo) => McpServer | Promise<McpServer>;
  /** A session that nobody uses for so long ends: clients often leave without saying so. */
  readonly idleMs: number;
  /** Begins the ids, so that a proxy before several servers finds the one that has the session. */
  readonly serverName?: string;
  readonly max: number;
  readonly keepAliveMs: number;
  readonly onFault: (error: Error) => void;
}

/** What is known of a request beside itself: its body was read already. */
interface GivenRequest {
  readonly authInfo: AuthInfo;
  readonly parsedBody?: unknown;
}

const sessionHeader = "mcp-session-id";
/** After how long a client reopens a stream that was closed on it. */
const retryMs = 1_000;

/** The sessions of clients that speak a revision before 2026-07-28. Each belongs to whoever opened it. */
export class LegacySessions {
  readonly #sessions = new Map<string, Session>();
  readonly #shares: Shares;
  readonly #options: SessionOptions;
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#shares = new Shares(options.max);
    this.#sweeper = setInterval(() => this.#sweep(), Math.max(50, options.idleMs / 4));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async fetch(request: Request, given: GivenRequest, actor: Actor): Promise<Response> {
    const id = request.headers.get(sessionHeader);
    if (id === null) {
      if (request.method !== "POST") return refuse(400, -32_000, "Bad Request: Mcp-Session-Id header is required");
      return this.#open(request, given, actor);
    }
    const session = this.#sessions.get(id);
    // Whoever may do less, or more, than who opened it has no part in it: somebody else's looks like one that does not exist.
    if (session === undefined || session.holder !== JSON.stringify(actor))
      return refuse(404, -32_001, "Session not found");
    return this.#serve(session, request, given);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  async #open(request: Request, given: GivenRequest, actor: Actor): Promise<Response> {
    const session = this.#create(JSON.stringify(actor));
    const release = this.#shares.take(actor, {
      idleSince: () => (session.openStreams === 0 ? session.lastUsedAt : undefined),
      end: () => void this.#end(session),
    });
    if (release === "share") return refuse(429, -32_000, "Too many sessions of this token or owner; end some of them");
    if (release === "all") return refuse(503, -32_000, "Too many sessions; try again later");
    session.release = release;
    const mcp = await this.#options.build(
      { canPush: () => session.openListeners > 0, signal: session.ended.signal },
      given.authInfo,
    );
    await mcp.connect(session.transport);
    const response = await this.#serve(session, request, given);
    // It was no initialize: there is no session that could be found again.
    if (!this.#sessions.has(session.id)) {
      session.release();
      void this.#abandon(session, response);
    }
    return response;
  }

  #create(holder: string): Session {
    const { serverName } = this.#options;
    const id = serverName === undefined ? randomUUID() : `${serverName}-${randomUUID()}`;
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
      release: () => undefined,
      lastUsedAt: performance.now(),
      openStreams: 0,
      openListeners: 0,
    };
    return session;
  }

  async #serve(session: Session, request: Request, given: GivenRequest): Promise<Response> {
    session.lastUsedAt = performance.now();
    const response = await session.transport.handleRequest(request, given);
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

  async #end(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    session.release();
    session.ended.abort();
    await session.transport.close().catch((error: unknown) => this.#options.onFault(error as Error));
  }
}
