import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import type { Engine } from "../../src/index.ts";
import { quantile } from "../statistics.ts";
import { openOnPostgres } from "./longhaul.ts";
import { createBenchKinds, napMs, sharedNow, type NodeRequest } from "./node.ts";
import { startNode, type Node } from "./nodes.ts";

/** Where a measurement has a database and folders of its own. */
export interface Place {
  readonly url: string;
  readonly folder: string;
}

const idleSamples = 200;
const idleMs = 20;

/** Waits for each number to be told; what was told before is not missed. */
class Starts {
  readonly at = new Map<number, number>();
  readonly #waiting = new Map<number, (atMs: number) => void>();

  readonly note = ({ n, atMs }: { n: number; atMs: number }): void => {
    this.at.set(n, atMs);
    this.#waiting.get(n)?.(atMs);
  };

  of(n: number): Promise<number> {
    const known = this.at.get(n);
    return known === undefined ? new Promise((resolve) => this.#waiting.set(n, resolve)) : Promise.resolve(known);
  }
}

/** From submitting in one process to the job's first line in another, with nothing else going on. */
export async function measureIdleStart(
  queue: NodeRequest["queue"],
  { url, folder }: Place,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const starts = new Starts();
  const home = makeHome(folder, "submitter");
  const client = queue === "longhaul" ? await openSubmitter(url, home) : await openBossSubmitter(url);
  const node = await startNode({ queue, url, home: makeHome(folder, "worker") }, starts.note);
  const samples: number[] = [];
  for (let n = 0; n < idleSamples; n++) {
    await delay(idleMs);
    const submittedAt = sharedNow();
    await client.submit(n);
    samples.push((await starts.of(n)) - submittedAt);
  }
  await node.stop();
  await client.close();
  return { p50Ms: quantile(samples, 0.5), p99Ms: quantile(samples, 0.99) };
}

interface Submitter {
  readonly submit: (n: number) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function openSubmitter(url: string, home: string): Promise<Submitter> {
  const engine = await openOnPostgres(url, home, createBenchKinds(0));
  return { submit: (n) => engine.submit({ kind: "nap", input: { n, ms: 0 } }), close: () => engine.stop() };
}

async function openBossSubmitter(url: string): Promise<Submitter> {
  const boss = new PgBoss({ connectionString: url, max: 10, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("nap", { notify: true });
  return { submit: (n) => boss.send("nap", { n }), close: () => boss.stop({ graceful: false }) };
}

const naps = 1_200;

/** Jobs of 50 ms per second, with so many workers of ten slots each. */
export async function measureNaps(workers: number, { url, folder }: Place): Promise<number> {
  const engine = await openOnPostgres(url, makeHome(folder, "submitter"), createBenchKinds(0));
  await engine.pause("nap");
  const ids = await submitNaps(engine, naps, napMs);
  const nodes = await startNodes(workers, { url, folder }, () => undefined);
  const startedAt = performance.now();
  await engine.resume("nap");
  await engine.wait(ids);
  const ms = performance.now() - startedAt;
  await Promise.all(nodes.map((node) => node.stop()));
  await engine.stop();
  return (naps * 1_000) / ms;
}

async function submitNaps(engine: Engine, count: number, ms: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const numbers = Array.from({ length: Math.min(500, count - from) }, (_, index) => from + index);
    const jobs = await engine.submitMany(numbers.map((n) => ({ kind: "nap", input: { n, ms } })));
    ids.push(...jobs.map(({ id }) => id));
  }
  return ids;
}

async function startNodes(
  count: number,
  { url, folder }: Place,
  onStarted: (started: { n: number; atMs: number; pid: number }) => void,
): Promise<Node[]> {
  const homes = Array.from({ length: count }, (_, index) => makeHome(folder, `worker-${index}`));
  return Promise.all(homes.map((home) => startNode({ queue: "longhaul", url, home }, onStarted)));
}

const longMs = 60_000;
const heldJobs = 10;

/** From SIGKILL of a worker to when the last of its jobs runs on another one, in seconds. */
export async function measureRecovery({ url, folder }: Place): Promise<number> {
  const begun: { n: number; atMs: number; pid: number }[] = [];
  const engine = await openOnPostgres(url, makeHome(folder, "submitter"), createBenchKinds(0));
  const [first] = await startNodes(1, { url, folder: makeHome(folder, "first") }, (start) => begun.push(start));
  const ids = await submitNaps(engine, heldJobs, longMs);
  while (begun.length < heldJobs) await delay(10);
  const others = await startNodes(1, { url, folder: makeHome(folder, "second") }, (start) => begun.push(start));
  // For a lease nobody who has just come takes anything over.
  await delay(7_000);
  const killedAt = sharedNow();
  await first?.kill();
  while (begun.length < 2 * heldJobs) await delay(10);
  const seconds = (Math.max(...begun.map(({ atMs }) => atMs)) - killedAt) / 1_000;
  for (const id of ids) await engine.cancel(id);
  await engine.wait(ids);
  await Promise.all(others.map((node) => node.stop()));
  await engine.stop();
  return seconds;
}

const spokenLines = 120;
const lineMs = 100;

/** From when a job writes a line to when a server that does not run it has read it. */
export async function measureFollow({ url, folder }: Place): Promise<{ p50Ms: number; p99Ms: number }> {
  const engine = await openOnPostgres(url, makeHome(folder, "submitter"), createBenchKinds(0));
  const [node] = await startNodes(1, { url, folder }, () => undefined);
  const { id } = await engine.submit({ kind: "talk", input: { n: spokenLines, ms: lineMs } });
  const delays: number[] = [];
  for (let from = 0, rest = ""; delays.length < spokenLines;) {
    await engine.wait(id, { until: "output", timeoutMs: 1_000 });
    const slice = await engine.readOutput(id, { stream: "stdout", from });
    from = slice.next;
    const lines = (rest + Buffer.from(slice.bytes).toString()).split("\n");
    rest = lines.pop() ?? "";
    const readAt = sharedNow();
    for (const line of lines) delays.push(readAt - Number(line));
  }
  await node?.stop();
  await engine.stop();
  // The first lines are written before anybody is known to look.
  const watched = delays.slice(10);
  return { p50Ms: quantile(watched, 0.5), p99Ms: quantile(watched, 0.99) };
}

const blockedJobs = 30_000;
const keyedSamples = 200;

/** From submitting a job to its first line, with 30,000 jobs of a key that is full in the queue, and with none. */
export async function measureFullKey(withQueue: boolean, { url, folder }: Place): Promise<number> {
  const starts = new Starts();
  const engine = await openOnPostgres(url, makeHome(folder, "submitter"), createBenchKinds(0));
  const [node] = await startNodes(1, { url, folder }, starts.note);
  await engine.submit({ kind: "keyed", input: { n: -1, ms: 600_000, key: "full" } });
  await starts.of(-1);
  if (withQueue) {
    for (let count = 0; count < blockedJobs; count += 500) {
      const request = { kind: "keyed", input: { n: -2, ms: 0, key: "full" } };
      await engine.submitMany(Array.from({ length: 500 }, () => request));
    }
  }
  await delay(1_000);
  const samples: number[] = [];
  for (let n = 0; n < keyedSamples; n++) {
    const submittedAt = sharedNow();
    await engine.submit({ kind: "keyed", input: { n, ms: 0, key: `free-${n}` } });
    samples.push((await starts.of(n)) - submittedAt);
  }
  await node?.kill();
  await engine.stop();
  return quantile(samples, 0.5);
}

export function makeHome(folder: string, name: string): string {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return home;
}
