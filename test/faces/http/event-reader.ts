import { createParser } from "eventsource-parser";

export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

export interface EventReader {
  readonly status: number;
  readonly events: SentEvent[];
  /** Whether the stream ended as it should; false when the connection broke. */
  readonly ended: Promise<boolean>;
  readonly stop: () => void;
}

/** Reads an event stream as a browser does. */
export async function readEvents(
  url: string,
  { token = "root", lastEventId }: { token?: string; lastEventId?: string } = {},
): Promise<EventReader> {
  const stopping = new AbortController();
  const response = await fetch(url, {
    signal: stopping.signal,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
  });
  const events: SentEvent[] = [];
  const parser = createParser({
    onEvent: ({ id = "", event = "", data }) =>
      events.push({ id, type: event, data: JSON.parse(data) as SentEvent["data"] }),
  });
  const decoder = new TextDecoder();
  const read = async (): Promise<boolean> => {
    try {
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
      return true;
    } catch {
      return false;
    }
  };
  return { status: response.status, events, ended: read(), stop: () => stopping.abort() };
}

export function textOf(events: readonly SentEvent[]): string {
  return events.map(({ data }) => (typeof data["text"] === "string" ? data["text"] : "")).join("");
}
