import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";

/** What was sent, and acknowledged with this id. */
export interface Acknowledged {
  readonly id: string;
  readonly kind: "shell" | "keyed" | "rated";
  readonly lines: number;
}

interface LoadParts {
  readonly cluster: Cluster;
  readonly random: () => number;
  /** Sends no more when it comes; what is on its way is still sent again until it is answered. */
  readonly signal: AbortSignal;
  /** Sends nothing again. */
  readonly giveUp: AbortSignal;
}

const submitters = 6;
const keys = 5;
const answerMs = 5_000;

/** Submits jobs by way of the proxy. What is not answered is sent again under its key, for as long as it takes. */
export async function submitLoad(parts: LoadParts): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const submitter = async (name: number): Promise<void> => {
    for (let count = 0; !parts.signal.aborted; count++) {
      acknowledged.push(await submit(parts, `${name}-${count}`));
      await delay(40 + parts.random() * 120);
    }
  };
  await Promise.all(Array.from({ length: submitters }, (_, name) => submitter(name)));
  return acknowledged;
}

async function submit({ cluster, random, giveUp }: LoadParts, key: string): Promise<Acknowledged> {
  const kind = (["shell", "keyed", "rated"] as const)[Math.floor(random() * 3)] ?? "shell";
  const lines = 3 + Math.floor(random() * 12);
  const ms = 50 + Math.floor(random() * 1_500);
  const place = `key-${Math.floor(random() * keys)}`;
  const command = { argv: ["sh", "-c", script(cluster, lines, ms)], cwd: "/" };
  const input = kind === "shell" ? command : { key: place, ms, lines };
  for (;;) {
    const answer = await ask(cluster, "/v1/jobs", { kind, input, idempotency_key: key }).catch(() => undefined);
    if (answer !== undefined && (answer.status === 200 || answer.status === 201)) {
      return { id: (answer.body as { id: string }).id, kind, lines };
    }
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
      throw new Error(`a job was refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    giveUp.throwIfAborted();
    await delay(100 + random() * 200);
  }
}

/** Puts on record that it was started, then tells lines in their order. */
function script({ folder }: Cluster, lines: number, ms: number): string {
  const pause = (ms / lines / 1_000).toFixed(3);
  const started = join(folder, "commands");
  return `echo "$LONGHAUL_JOB_ID" >> ${started}; for n in $(seq ${lines}); do echo "line $n"; sleep ${pause}; done`;
}

/** Asks one of the servers, whichever is next; a connection for each request. */
export async function ask(
  { front, token }: Cluster,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" };
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(answerMs);
  const response = await fetch(`http://127.0.0.1:${front.port}${path}`, { ...request, headers, signal });
  return { status: response.status, body: await response.json() };
}
