import { ProtocolError, ProtocolErrorCode, type Result, type ServerContext } from "@modelcontextprotocol/server";
import { messageOf } from "../../job/failure.ts";
import { InnerTransport, type AnyMcpServer, type Message } from "./wire.ts";

/** A tool as the author's server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Record<string, unknown>;
  readonly [field: string]: unknown;
}

/** What the author's server says of itself. */
export interface ServerWords {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly capabilities: Readonly<Record<string, Record<string, unknown> | undefined>>;
  readonly instructions?: string;
}

interface Open {
  readonly context: ServerContext | undefined;
  readonly progressToken: unknown;
  readonly settle: (message: Message) => void;
}

const protocolVersion = "2025-11-25";
const maxPages = 100;

/**
 * An author's own server, of either SDK, whose tools, resources and prompts are offered beside the durable ones. It is connected once,
 * within this process, and sees one client; what it asks or tells during a request goes to whoever made that request.
 */
export class InnerServer {
  readonly #server: AnyMcpServer;
  readonly #transport = new InnerTransport((message, related) => this.#receive(message, related));
  readonly #open = new Map<string | number, Open>();
  readonly #listeners = new Set<(method: string, params: Record<string, unknown> | undefined) => void>();
  #lastId = 0;
  #tools: Promise<ListedTool[]> | undefined;
  words: ServerWords = { serverInfo: { name: "", version: "" }, capabilities: {} };

  constructor(server: AnyMcpServer) {
    this.#server = server;
  }

  async connect(): Promise<void> {
    await this.#server.connect(this.#transport as never);
    this.words = (await this.request("initialize", {
      protocolVersion,
      capabilities: { sampling: {}, elicitation: {}, roots: {} },
      clientInfo: { name: "longhaul", version: "1" },
    })) as unknown as ServerWords;
    this.#transport.deliver({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** What the server tells that belongs to no request, such as that a list has changed. */
  onNotification(listener: (method: string, params: Record<string, unknown> | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tools(): Promise<ListedTool[]> {
    if (this.words.capabilities["tools"] === undefined) return Promise.resolve([]);
    this.#tools ??= this.#listTools().catch((error: unknown) => {
      this.#tools = undefined;
      throw error;
    });
    return this.#tools;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async request(method: string, params: object, context?: ServerContext): Promise<Result> {
    const id = ++this.#lastId;
    const given = params as { _meta?: Record<string, unknown> };
    const progressToken = given._meta?.["progressToken"];
    // Two clients may have chosen the same token; ours tells them apart.
    const own = progressToken === undefined ? given : { ...given, _meta: { ...given._meta, progressToken: id } };
    const answered = new Promise<Message>((settle) => this.#open.set(id, { context, progressToken, settle }));
    const cancel = (): void =>
      this.#transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    const signal = context?.mcpReq.signal;
    const gone = new Promise<never>((_resolve, reject) => {
      signal?.addEventListener("abort", () => {
        cancel();
        reject(new ProtocolError(ProtocolErrorCode.InternalError, "The request was cancelled."));
      });
    });
    try {
      this.#transport.deliver(
        { jsonrpc: "2.0", id, method, params: own },
        { authInfo: context?.http?.authInfo, requestInfo: context?.http?.req },
      );
      const { result, error } = await (signal === undefined ? answered : Promise.race([answered, gone]));
      if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
      return result ?? {};
    } finally {
      this.#open.delete(id);
    }
  }

  async #listTools(): Promise<ListedTool[]> {
    const tools: ListedTool[] = [];
    for (let page = 0, cursor: unknown; page < maxPages; page++) {
      const reply = await this.request("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(reply["tools"] as ListedTool[]));
      cursor = reply["nextCursor"];
      if (cursor === undefined) break;
    }
    return tools;
  }

  #receive(message: Message, related: string | number | undefined): void {
    if (message.method === undefined) {
      if (message.id !== undefined) this.#open.get(message.id)?.settle(message);
    } else if (message.id === undefined) this.#hear(message.method, message.params, related);
    else void this.#answer(message.id, message.method, message.params, related);
  }

  #hear(method: string, params: Record<string, unknown> | undefined, related: string | number | undefined): void {
    if (method === "notifications/tools/list_changed") this.#tools = undefined;
    const isProgress = method === "notifications/progress";
    const id = isProgress ? (params?.["progressToken"] as string | number) : related;
    const asker = id === undefined ? undefined : this.#open.get(id);
    if (asker?.context === undefined) {
      for (const listener of this.#listeners) listener(method, params);
      return;
    }
    const told = isProgress ? { ...params, progressToken: asker.progressToken } : params;
    void asker.context.mcpReq.notify({ method, params: told }).catch(() => undefined);
  }

  /** What the server asks its client is asked of whoever made the request; without one there is nobody to ask. */
  async #answer(
    id: string | number,
    method: string,
    params: Record<string, unknown> | undefined,
    related: string | number | undefined,
  ): Promise<void> {
    const reply = (part: object): void => this.#transport.deliver({ jsonrpc: "2.0", id, ...part });
    if (method === "ping") return reply({ result: {} });
    const asker = this.#askerOf(related);
    try {
      if (asker === undefined) throw new Error(`${method} belongs to no request, so there is no client to ask.`);
      reply({ result: await asker.mcpReq.send({ method, params } as never) });
    } catch (error) {
      reply({ error: { code: ProtocolErrorCode.InternalError, message: messageOf(error) } });
    }
  }

  /** Some servers do not say which request makes them ask; if there is only one, that is it. */
  #askerOf(related: string | number | undefined): ServerContext | undefined {
    if (related !== undefined) return this.#open.get(related)?.context;
    const asking = [...this.#open.values()].flatMap(({ context }) => context ?? []);
    return asking.length === 1 ? asking[0] : undefined;
  }
}
