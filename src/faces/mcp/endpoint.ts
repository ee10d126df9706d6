import { createMcpHandler, isLegacyRequest, type AuthInfo, type McpServer } from "@modelcontextprotocol/server";
import type { McpRequestContext, ServerNotifier, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ClientSettings } from "../../config/client-settings.ts";
import type { Actor } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import { defined } from "../../job/defined.ts";
import { LonghaulError } from "../../job/error.ts";
import type { JobsConnection, JobsContext } from "./connection.ts";
import { LegacySessions } from "./protocol/legacy-sessions.ts";
import { readMessage } from "./protocol/read-message.ts";
import { OutcomeCache } from "./tasks/outcome.ts";
import { HttpListeners } from "./protocol/listen-http.ts";
import { ListeningTransport } from "./protocol/listen-stdio.ts";

/** On whose behalf requests come in. */
export interface Caller {
  readonly actor: Actor;
  /** False where callers cannot be told apart: they then share what they see, and may list nothing. */
  readonly isIdentified: boolean;
  /** What a client on this machine has set for its connection. */
  readonly settings?: ClientSettings;
}

export interface McpEndpointOptions {
  readonly engine: Engine;
  /** Builds one server: `serveJobs(mcp, context)` and its tools. Called for every connection, and for every request of the newest revision. */
  readonly build: (context: JobsContext) => McpServer | Promise<McpServer>;
  readonly onFault?: (error: Error) => void;
  readonly sessionIdleMs?: number;
  readonly maxSessions?: number;
  /** Begins the ids of sessions. */
  readonly serverName?: string;
  readonly maxStreams?: number;
  readonly maxTaskIds?: number;
  readonly keepAliveMs?: number;
  readonly maxBodyBytes?: number;
}

export interface McpEndpoint {
  /** Serves one HTTP request; who may come in is checked before. */
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>;
  /** Serves one connection of messages, as over stdio, until it ends. */
  readonly connect: (transport: Transport, caller?: Caller) => McpConnection;
  /** Tells listeners that what the server offers has changed. */
  readonly notify: ServerNotifier;
  /** What is open, for tests and for the health of a server. */
  readonly open: () => { sessions: number; streams: number; connections: number };
  readonly close: () => Promise<void>;
}

export interface McpConnection {
  readonly closed: Promise<void>;
  readonly close: () => Promise<void>;
}

const anybody: Caller = { actor: {}, isIdentified: false };
const halfHourMs = 1_800_000;

/** Serves MCP in all its revisions, over HTTP and over streams, with jobs as tasks. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { engine, keepAliveMs = 15_000, maxTaskIds = 100, onFault = () => undefined } = options;
  const outcomes = new OutcomeCache();
  const build = (caller: Caller, part: Partial<JobsContext>): McpServer | Promise<McpServer> =>
    options.build({ ...openContext(engine, outcomes, caller), ...part });
  const handler = createMcpHandler((context) => build(callerOf(context.authInfo), fromRequest(context)), {
    legacy: "reject",
    keepAliveMs,
    onerror: onFault,
  });
  const sessions = new LegacySessions({
    build: (part, authInfo) => build(callerOf(authInfo), { era: "legacy", ...part }),
    idleMs: options.sessionIdleMs ?? halfHourMs,
    max: options.maxSessions ?? 1_000,
    ...defined({ serverName: options.serverName }),
    keepAliveMs,
    onFault,
  });
  const listeners = new HttpListeners({ maxStreams: options.maxStreams ?? 1_000, maxTaskIds, keepAliveMs });
  const connections = new Set<McpConnection>();
  checkBuild(options, outcomes);
  const connectionFor = (caller: Caller): JobsConnection => servedConnection(options, outcomes, caller);
  return {
    fetch: async (request, caller = anybody) => {
      const read = await readMessage(request, options.maxBodyBytes);
      if ("refusal" in read) return read.refusal;
      const { body } = read;
      const given = { authInfo: toAuthInfo(caller), parsedBody: body };
      if (!namesModernRevision(request) && (await isLegacyRequest(request, body))) {
        return sessions.fetch(request, given, caller.actor);
      }
      const forward = (): Promise<Response> => handler.fetch(request, given);
      if (request.headers.get("mcp-method") !== "subscriptions/listen") return forward();
      return listeners.serve({ request, body, forward, connection: () => connectionFor(caller) });
    },
    connect: (transport, caller = anybody) => {
      const ended = new AbortController();
      let listening: JobsConnection | undefined;
      const wire = new ListeningTransport(transport, () => (listening ??= connectionFor(caller)), maxTaskIds);
      const served = serveStdio(({ era }) => build(caller, { era, signal: ended.signal }), {
        transport: wire,
        onerror: onFault,
      });
      const closed = wire.closed.finally(() => {
        ended.abort();
        connections.delete(connection);
      });
      const connection: McpConnection = { closed, close: () => served.close() };
      connections.add(connection);
      return connection;
    },
    notify: handler.notify,
    open: () => ({ sessions: sessions.size, streams: listeners.openStreams, connections: connections.size }),
    close: async () => {
      listeners.closeAll();
      await Promise.all([...[...connections].map((connection) => connection.close()), sessions.close()]);
      await handler.close();
    },
  };
}

/** Spares the look into the body: what names the new revision is never taken for an older one. */
function namesModernRevision(request: Request): boolean {
  return (request.headers.get("mcp-protocol-version") ?? "") >= "2026-07-28";
}

function openContext(engine: Engine, outcomes: OutcomeCache, caller: Caller): JobsContext {
  return {
    engine,
    outcomes,
    ...caller,
    era: "modern",
    isTaskRequest: false,
    canPush: () => true,
    signal: new AbortController().signal,
  };
}

function fromRequest({ era, requestInfo }: McpRequestContext): Pick<JobsContext, "era" | "isTaskRequest"> {
  return { era, isTaskRequest: requestInfo?.headers.get("mcp-method")?.startsWith("tasks/") === true };
}

/** What a listener needs to show tasks is what the server itself would use to answer `tasks/get`. */
function servedConnection(options: McpEndpointOptions, outcomes: OutcomeCache, caller: Caller): JobsConnection {
  let served: JobsConnection | undefined;
  const context = { ...openContext(options.engine, outcomes, caller), isTaskRequest: true };
  void options.build({ ...context, onServed: (connection) => (served = connection) });
  if (served === undefined) throw new LonghaulError("conflict", "build must call serveJobs before it returns.");
  return served;
}

/** What is wrong with a server shows when its endpoint is made, and not when the first client comes. */
function checkBuild({ engine, build, onFault = () => undefined }: McpEndpointOptions, outcomes: OutcomeCache): void {
  const built = build({ ...openContext(engine, outcomes, anybody), isTaskRequest: true });
  if (built instanceof Promise) built.catch((error: unknown) => onFault(error as Error));
}

function toAuthInfo(caller: Caller): AuthInfo {
  return { token: "", clientId: caller.actor.owner ?? "local", scopes: [], extra: { caller } };
}

function callerOf(authInfo: AuthInfo | undefined): Caller {
  return (authInfo?.extra?.["caller"] as Caller | undefined) ?? anybody;
}
