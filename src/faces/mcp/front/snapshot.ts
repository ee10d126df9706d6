import { readFileSync } from "node:fs";
import { isModern, modernRevision, type Message, type Request } from "./message.ts";

/**
 * What a server answers to the first questions of a client, kept in a file so that a front can answer them before the server is up:
 * clients that do not hear soon what a server can do go on without it, or without tasks.
 */
export interface Snapshot {
  /** The server's. */
  readonly version: string;
  /** Changes whenever anything below does. */
  readonly digest: string;
  /** Tools whose calls must not be repeated when nobody knows whether they took effect. */
  readonly onceOnly: readonly string[];
  readonly discover: unknown;
  readonly tools: unknown;
  /** By revision. */
  readonly initialize: Readonly<Record<string, unknown>>;
  /** What a client of an unknown revision is answered. */
  readonly defaultRevision: string;
  readonly legacyTools: unknown;
}

/** The server's own word, unless an upgrade has made it old; then what this version shipped with. */
export function readSnapshot(ownFile: string, shippedFile: string, version: string): Snapshot | undefined {
  const own = readFile(ownFile);
  return own?.version === version ? own : readFile(shippedFile);
}

function readFile(path: string): Snapshot | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Snapshot;
  } catch {
    return undefined;
  }
}

/** Undefined if only the server can answer. */
export function answerFrom(snapshot: Snapshot, request: Request): Message | undefined {
  const result = resultFor(snapshot, request);
  return result === undefined ? undefined : { jsonrpc: "2.0", id: request.id, result };
}

function resultFor(snapshot: Snapshot, request: Request): unknown {
  const { method, params } = request;
  if (isModern(request)) {
    if (method === "server/discover") return snapshot.discover;
    return method === "tools/list" && params?.["cursor"] === undefined ? snapshot.tools : undefined;
  }
  if (params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined) return undefined;
  if (method === "ping") return {};
  if (method === "tools/list") return params?.["cursor"] === undefined ? snapshot.legacyTools : undefined;
  if (method !== "initialize") return undefined;
  const revision = params?.["protocolVersion"];
  if (typeof revision !== "string" || revision === modernRevision) return undefined;
  return Object.hasOwn(snapshot.initialize, revision)
    ? snapshot.initialize[revision]
    : snapshot.initialize[snapshot.defaultRevision];
}
