import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import type { JobEvent } from "../../src/index.ts";
import type { Cluster } from "./cluster.ts";
import { maxPerKey, maxStarts, tickMs, type RunRecord } from "./kinds.ts";
import { ask, type Acknowledged } from "./load.ts";

/** What the run has broken, in sentences; none if all is well. */
export async function findBroken(cluster: Cluster, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const client = new Client({ connectionString: cluster.postgres.url("postgres") });
  await client.connect();
  try {
    const events = await readEvents(client);
    const records = readRecords(cluster.records);
    return [
      ...findUnended(acknowledged, events),
      ...findGaps(events),
      ...findTooManyStarts(events, acknowledged),
      ...findOverlaps(records),
      ...findTwice(cluster, acknowledged, events),
      ...(await findTickets(client)),
      ...(await findWrongOutput(cluster, acknowledged, events)),
    ];
  } finally {
    await client.end();
  }
}

type Event = Pick<JobEvent, "seq" | "at"> & { readonly body: JobEvent };
type EventsByJob = ReadonlyMap<string, readonly Event[]>;

async function readEvents(client: Client): Promise<EventsByJob> {
  const { rows } = await client.query<{ job: string; seq: string; at: string; body: string }>(
    "SELECT job::text, seq, at, body FROM longhaul.events ORDER BY job, seq",
  );
  const events = new Map<string, Event[]>();
  for (const { job, seq, at, body } of rows) {
    const known = events.get(job) ?? [];
    known.push({ seq: Number(seq), at: Number(at), body: JSON.parse(body) as JobEvent });
    events.set(job, known);
  }
  return events;
}

function findUnended(acknowledged: readonly Acknowledged[], events: EventsByJob): string[] {
  return acknowledged.flatMap(({ id, kind }) => {
    const ends = (events.get(id) ?? []).filter(({ body }) => body.type === "job-finished");
    const [end] = ends;
    if (ends.length !== 1) return [`job ${id} (${kind}) was acknowledged and has ended ${ends.length} times`];
    // A command whose machine was lost with it may be lost; nothing else may fail.
    const isFine = end?.body.type === "job-finished" && end.body.status === "succeeded";
    return isFine ? [] : [`job ${id} (${kind}) has not succeeded: ${JSON.stringify(end?.body)}`];
  });
}

function findGaps(events: EventsByJob): string[] {
  return [...events].flatMap(([job, known]) => {
    const isWhole = known.every(({ seq }, index) => seq === index + 1);
    return isWhole ? [] : [`the events of job ${job} have gaps: ${known.map(({ seq }) => seq).join(" ")}`];
  });
}

/** By the times at which they were claimed. */
function findTooManyStarts(events: EventsByJob, acknowledged: readonly Acknowledged[]): string[] {
  const starts = acknowledged
    .filter(({ kind }) => kind === "rated")
    .flatMap(({ id }) => (events.get(id) ?? []).filter(({ body }) => body.type === "attempt-started"))
    .map(({ at }) => at)
    .toSorted((a, b) => a - b);
  return starts.flatMap((at, index) => {
    const last = starts[index + maxStarts.starts];
    if (last === undefined || last - at >= maxStarts.perMs) return [];
    return [
      `${maxStarts.starts + 1} jobs of a kind that may start ${maxStarts.starts} in ${maxStarts.perMs} ms started in ${last - at} ms`,
    ];
  });
}

function readRecords(file: string): RunRecord[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RunRecord);
}

interface Span {
  readonly job: string;
  readonly run: string;
  readonly key: string;
  readonly fromMs: number;
  toMs: number;
}

/** After a longer silence a process was stopped: what it did right after it went on is no sign that it had not noticed. */
const silenceMs = 2_000;

/** No more runs than this can begin while one of them goes on. */
const maxAtOnce = 500;

/** When runs were seen to be alive, one span for each. */
function toSpans(records: readonly RunRecord[]): Span[] {
  const spans = new Map<string, Span>();
  for (const { run, job, key, atMs } of records.toSorted((a, b) => a.atMs - b.atMs)) {
    const span = spans.get(run);
    if (span === undefined) spans.set(run, { job, run, key, fromMs: atMs, toMs: atMs });
    else if (atMs - span.toMs < silenceMs) span.toMs = atMs;
  }
  return [...spans.values()];
}

function findOverlaps(records: readonly RunRecord[]): string[] {
  const keyed = new Set(records.filter(({ kind }) => kind === "keyed").map(({ run }) => run));
  const spans = toSpans(records);
  return spans.flatMap((span, index) => {
    const before = spans.slice(Math.max(0, index - maxAtOnce), index);
    const others = before.filter((other) => other.toMs > span.fromMs + tickMs);
    const same = others.filter(({ job }) => job === span.job);
    if (same.length > 0) return [`job ${span.job} was begun again while it still ran`];
    const held = others.filter(({ run, key }) => keyed.has(run) && key === span.key).length;
    if (!keyed.has(span.run) || held < maxPerKey) return [];
    return [`${held + 1} jobs with the key ${span.key} ran at once, ${maxPerKey} may`];
  });
}

/** A command is started once for each attempt. */
function findTwice({ folder }: Cluster, acknowledged: readonly Acknowledged[], events: EventsByJob): string[] {
  const counts = new Map<string, number>();
  for (const id of readFileSync(join(folder, "commands"), "utf8").split("\n")) {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return acknowledged.flatMap(({ id, kind }) => {
    const attempts = (events.get(id) ?? []).flatMap(({ body }) => ("attempt" in body ? body.attempt : []));
    const started = counts.get(id) ?? 0;
    if (kind !== "shell" || started <= Math.max(0, ...attempts)) return [];
    return [`the command of job ${id} was started ${started} times in ${Math.max(0, ...attempts)} attempts`];
  });
}

async function findTickets(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM longhaul_boss.job WHERE state < 'completed'",
  );
  const count = rows[0]?.count ?? 0;
  return count === 0 ? [] : [`${count} tickets are left over`];
}

async function findWrongOutput(
  cluster: Cluster,
  acknowledged: readonly Acknowledged[],
  events: EventsByJob,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, kind, lines } of acknowledged) {
    if (kind !== "shell" || events.get(id)?.at(-1)?.body.type !== "job-finished") continue;
    const { body } = await ask(cluster, `/v1/jobs/${id}/output?stream=stdout&limit=60000`);
    const { text = "" } = body as { text?: string };
    const expected = Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join("");
    if (text !== expected) broken.push(`the output of job ${id} is ${JSON.stringify(text)}, expected ${lines} lines`);
  }
  return broken;
}
