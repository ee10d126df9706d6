import { ApiError, isAbort, request } from "./api.ts";

export interface StreamEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

interface StreamOptions {
  /** Where to begin; read anew for each connection, so that it may say where the last one ended. */
  readonly path: () => string;
  readonly lastId?: string;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState?: (state: "open" | "away") => void;
  readonly signal: AbortSignal;
}

const firstPauseMs = 300;
const maxPauseMs = 3_000;

/** Reads an event stream to its end, and goes on where it was each time the connection breaks. */
export async function readStream({ path, lastId, onEvent, onState, signal }: StreamOptions): Promise<void> {
  let last = lastId;
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      const headers = { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) };
      const response = await request(path(), { headers, signal });
      if (response.status === 204 || response.body === null) return;
      onState?.("open");
      pauseMs = firstPauseMs;
      let isOver = false;
      for await (const event of eventsOf(response.body)) {
        last = event.id;
        isOver = event.type === "end";
        onEvent(event);
      }
      if (isOver) return;
    } catch (error) {
      if (isAbort(error) || (error instanceof ApiError && isFinal(error.status))) return;
    }
    if (signal.aborted) return;
    onState?.("away");
    await pause(pauseMs, signal);
    pauseMs = Math.min(maxPauseMs, pauseMs * 2);
  }
}

/** Trying again would not help. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const event = parseFrame(frame);
      if (event !== undefined) yield event;
    }
  }
}

function parseFrame(frame: string): StreamEvent | undefined {
  const fields: Record<string, string> = {};
  for (const line of frame.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  const { id = "", event: type = "message", data } = fields;
  return data === undefined ? undefined : { id, type, data };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
