import type { Client } from "pg";
import { setTimeout as delay } from "node:timers/promises";
import type { JobId } from "../../../job/id.ts";
import { jobStatuses } from "../../../job/state.ts";
import type { Hint } from "../../store.ts";
import type { Connections, Session } from "../database/connections.ts";

/** Tells this process and all others what was committed. */
export interface Hints {
  /** Goes out with the transaction of the session. */
  readonly send: (session: Session, hints: readonly Hint[]) => Promise<unknown>[];
  readonly publish: (hints: readonly Hint[]) => void;
  /** Tells of what no transaction writes. One that is lost is made up for by whoever looks from time to time. */
  readonly announce: (hint: Hint) => void;
  readonly subscribe: (listener: (hint: Hint) => void) => () => void;
  readonly close: () => Promise<void>;
}

export interface HintOptions {
  readonly connections: Connections;
  /** Where to listen: a pooler between transactions forgets who does. */
  readonly url: string;
  readonly channel: string;
}

/** Postgres takes less than 8,000 bytes. */
const maxBytes = 7_500;
const retryMs = 1_000;

/** Who is told more than fits, or has not listened for a while, looks by itself at whatever somebody waits for. */
const lookAnyway: readonly Hint[] = [{ type: "job-ready" }, { type: "delivery-due" }, { type: "hints-lost" }];

export async function openHints({ connections, url, channel }: HintOptions): Promise<Hints> {
  const listeners = new Set<(hint: Hint) => void>();
  const self = crypto.randomUUID().slice(0, 8);
  const publish = (hints: readonly Hint[]): void => {
    for (const hint of hints) for (const listener of listeners) listener(hint);
  };
  const listening = await listen(
    { connections, url, channel },
    {
      onPayload: (payload) => publish(decode(payload, self)),
      onGap: () => publish(lookAnyway),
    },
  );
  const send: Hints["send"] = ({ query }, hints) =>
    hints.length === 0 ? [] : [query("SELECT pg_notify($1, $2)", [channel, encode(hints, self)])];
  return {
    send,
    publish,
    announce: (hint) => {
      publish([hint]);
      for (const sent of send(connections, [hint])) sent.catch(() => undefined);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      listeners.clear();
      await listening.close();
    },
  };
}

interface Ears {
  readonly onPayload: (payload: string) => void;
  readonly onGap: () => void;
}

/** Listens until it is closed; where the connection is cut, on another one. */
async function listen({ connections, url, channel }: HintOptions, ears: Ears): Promise<{ close: () => Promise<void> }> {
  const stop = new AbortController();
  let client: Client | undefined;
  const connect = async (): Promise<void> => {
    const connected = await connections.connect(url);
    connected.on("notification", ({ payload }) => ears.onPayload(payload ?? ""));
    connected.once("end", () => {
      if (!stop.signal.aborted) void reconnect();
    });
    await connected.query(`LISTEN "${channel}"`);
    client = connected;
    if (stop.signal.aborted) await connected.end();
  };
  const reconnect = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await delay(retryMs, undefined, { signal: stop.signal });
        await connect();
        ears.onGap();
        return;
      } catch {
        // Tried again until it succeeds or the store is closed.
      }
    }
  };
  await connect();
  return {
    close: async () => {
      stop.abort();
      await client?.end().catch(() => undefined);
    },
  };
}

interface Message {
  readonly from: string;
  /** Ids, sequence numbers and statuses, three for each job. */
  readonly jobs?: readonly (string | number)[];
  readonly hints?: readonly Hint[];
  readonly look?: true;
}

/** Of several changes of a job the last tells all. */
function encode(hints: readonly Hint[], from: string): string {
  const jobs = new Map<JobId, readonly (string | number)[]>();
  const others = new Map<string, Hint>();
  for (const hint of hints) {
    if (hint.type === "job-changed") jobs.set(hint.id, [hint.id, hint.seq, jobStatuses.indexOf(hint.status)]);
    else others.set(JSON.stringify(hint), hint);
  }
  const message: Message = { from, jobs: [...jobs.values()].flat(), hints: [...others.values()] };
  const text = JSON.stringify(message);
  return Buffer.byteLength(text) <= maxBytes ? text : JSON.stringify({ from, look: true } satisfies Message);
}

function decode(payload: string, self: string): Hint[] {
  const { from, jobs = [], hints = [], look } = JSON.parse(payload) as Message;
  if (from === self) return [];
  if (look === true) return [...lookAnyway];
  const changed: Hint[] = [];
  for (let index = 0; index < jobs.length; index += 3) {
    const status = jobStatuses[Number(jobs[index + 2])] ?? "queued";
    changed.push({ type: "job-changed", id: jobs[index] as JobId, seq: Number(jobs[index + 1]), status });
  }
  return [...changed, ...hints];
}
