/** A message of JSON-RPC, as far as a front looks into it. */
export interface Message {
  readonly jsonrpc?: "2.0";
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: unknown;
}

export type RequestId = string | number;

interface Params {
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

export interface Request extends Message {
  readonly id: RequestId;
  readonly method: string;
}

export function isRequest(message: Message): message is Request {
  return message.method !== undefined && message.id !== undefined && message.id !== null;
}

/** Undefined for what is no message: a front leaves that to the server. */
export function parseMessage(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const modernRevision = "2026-07-28";

/** The newest revision says in every request which it is. */
export function isModern({ params }: Message): boolean {
  return params?._meta?.["io.modelcontextprotocol/protocolVersion"] === modernRevision;
}

/** An answer that a model gets to read where the request is a tool call, and its client's program otherwise. */
export function toFailure(request: Request, text: string): Message {
  const { id, method } = request;
  if (method !== "tools/call") return { jsonrpc: "2.0", id, error: { code: -32_603, message: text } };
  const complete = isModern(request) ? { resultType: "complete" } : {};
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true, ...complete } };
}
