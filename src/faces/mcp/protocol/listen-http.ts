import { CLIENT_CAPABILITIES_META_KEY, type RequestId } from "@modelcontextprotocol/server";
import { QuietClock, Shares } from "../../door/shares.ts";
import type { JobsConnection } from "../connection.ts";
import { acknowledge, grantTasks, isAcknowledgement, parseListen, refuseMany, startListening } from "./listening.ts";
import type { ListenMessage, ListenRequest } from "./listening.ts";
import { hasTasksExtension, missingTasks } from "./protocol-names.ts";

interface ListenOptions {
  readonly maxStreams: number;
  readonly maxTaskIds: number;
  readonly keepAliveMs: number;
}

interface Listening {
  readonly request: Request;
  readonly body: unknown;
  /** Serves the request as the SDK does, which checks its envelope, headers and version. */
  readonly forward: () => Promise<Response>;
  readonly connection: () => JobsConnection;
}

/**
 * `notifications/tasks` over HTTP. The SDK's stream knows nothing of tasks: it serves the request first, and its stream is then
 * decorated with what concerns jobs.
 */
export class HttpListeners {
  readonly #options: ListenOptions;
  readonly #open = new Set<(isGraceful: boolean) => void>();
  readonly #shares: Shares;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#shares = new Shares(options.maxStreams);
  }

  get openStreams(): number {
    return this.#open.size;
  }

  async serve({ request, body, forward, connection }: Listening): Promise<Response> {
    const listen = parseListen(body);
    const response = await forward();
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (listen === undefined || !isStream || response.body === null) return response;
    const refusal = this.#refuse(listen, body);
    if (refusal !== undefined) {
      await response.body.cancel();
      return refusal;
    }
    const caller = connection();
    const holding = new Holding();
    const release = this.#shares.take(caller.actor, holding);
    if (typeof release === "string") {
      await response.body.cancel();
      return errorResponse(200, listen.id, -32_603, "Subscription limit reached");
    }
    holding.release = release;
    const granted = await grantTasks(listen.taskIds, caller);
    return new Response(this.#decorate(response.body, listen, granted, caller, request.signal, holding), {
      status: response.status,
      headers: response.headers,
    });
  }

  /** Ends every stream with its result, so that clients know that nothing was lost. */
  closeAll(): void {
    for (const close of this.#open) close(true);
  }

  #refuse(listen: ListenRequest, body: unknown): Response | undefined {
    const meta = (body as { params?: { _meta?: Record<string, unknown> } }).params?._meta;
    if (listen.taskIds.length > 0 && !hasTasksExtension(meta?.[CLIENT_CAPABILITIES_META_KEY])) {
      const { code, message, data } = missingTasks();
      return errorResponse(400, listen.id, code, message, data);
    }
    const excess = refuseMany(listen, this.#options.maxTaskIds);
    return excess === undefined ? undefined : errorResponse(200, listen.id, -32_602, excess);
  }

  #decorate(
    source: ReadableStream<Uint8Array>,
    listen: ListenRequest,
    granted: readonly string[],
    connection: JobsConnection,
    gone: AbortSignal,
    holding: Holding,
  ): ReadableStream<Uint8Array> {
    const ended = new AbortController();
    const reader = source.getReader();
    let close = doNothing;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const write = (text: string): void => {
          if (!ended.signal.aborted) controller.enqueue(new TextEncoder().encode(text));
        };
        const send = (message: unknown): void => {
          holding.told();
          write(toFrame(message));
        };
        const timer = setInterval(() => write(": keepalive\n\n"), this.#options.keepAliveMs);
        timer.unref();
        const onGone = (): void => close(false);
        close = (isGraceful) => {
          if (ended.signal.aborted) return;
          if (isGraceful) send(completion(listen.id));
          clearInterval(timer);
          gone.removeEventListener("abort", onGone);
          this.#open.delete(close);
          holding.release();
          ended.abort();
          void reader.cancel().catch(() => undefined);
          if (isGraceful) controller.close();
        };
        this.#open.add(close);
        holding.end = () => close(true);
        // A client that vanished cancels nothing until the next chunk: only its request's signal tells.
        gone.addEventListener("abort", onGone);
        void relay(reader, send, (ack) => {
          send(acknowledge(ack, granted, listen.taskIds.length > 0));
          startListening(listen, granted, connection, ended.signal, send);
        }).catch(() => close(false));
        if (gone.aborted) close(false);
      },
      cancel: () => close(false),
    });
  }
}

/** The place of one stream among all. */
class Holding extends QuietClock {
  release: () => void = () => undefined;
  end: () => void = () => undefined;
}

const doNothing = (_isGraceful: boolean): void => undefined;

/** Hands on the SDK's frames, except the end that it writes at once when it knows nothing of what is listened to. */
async function relay(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  send: (message: unknown) => void,
  onAcknowledged: (message: ListenMessage) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      const message: unknown = JSON.parse(data);
      if (isAcknowledgement(message)) onAcknowledged(message);
      else if (!(typeof message === "object" && message !== null && "result" in message)) send(message);
    }
  }
}

function toFrame(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

function completion(id: RequestId): Record<string, unknown> {
  const meta = { "io.modelcontextprotocol/subscriptionId": id };
  return { jsonrpc: "2.0", id, result: { resultType: "complete", _meta: meta } };
}

function errorResponse(status: number, id: RequestId, code: number, message: string, data?: unknown): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status });
}
