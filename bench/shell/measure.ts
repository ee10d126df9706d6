import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../../src/index.ts";
import { answerParent } from "../child.ts";
import { quantile } from "../statistics.ts";
import { runMany, withShellEngine } from "./shell-engine.ts";

/** What to measure in a fresh process; each is answered with one number. */
export type MeasureRequest =
  /** Milliseconds from submitting so many jobs `true` to the end of the last. */
  | { readonly type: "many"; readonly home: string; readonly jobs: number }
  /** Milliseconds (p50) from submitting `echo x` to its byte being readable. */
  | { readonly type: "first-byte"; readonly home: string }
  /** The same of a bare child process. */
  | { readonly type: "bare-first-byte" }
  /** Milliseconds from submitting a job that writes so many bytes to its end. */
  | { readonly type: "capture"; readonly home: string; readonly bytes: number }
  /** By how many megabytes the process grows, at most, while a job writes so many bytes. */
  | { readonly type: "memory"; readonly home: string; readonly bytes: number };

const warmUpJobs = 50;
const firstByteSamples = 100;
const idleMs = 5;
const memoryLookMs = 100;
/** Above the cap of 100 MB, so that the code that cuts output is loaded too. */
const warmUpBytes = 200_000_000;

async function measure(request: MeasureRequest): Promise<number> {
  if (request.type === "bare-first-byte") return sampleFirstBytes(bareFirstByteMs);
  return withShellEngine(request.home, (engine) => {
    if (request.type === "many") return measureMany(engine, request.jobs);
    if (request.type === "first-byte") return sampleFirstBytes(() => firstByteMs(engine));
    return request.type === "capture" ? measureCapture(engine, request.bytes) : measureMemory(engine, request.bytes);
  });
}

async function measureMany(engine: Engine, jobs: number): Promise<number> {
  await runMany(engine, "true", warmUpJobs);
  globalThis.gc?.();
  return elapsedMs(() => runMany(engine, "true", jobs));
}

async function sampleFirstBytes(sample: () => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let count = -warmUpJobs; count < firstByteSamples; count++) {
    await sleep(idleMs);
    const waited = await sample();
    if (count >= 0) taken.push(waited);
  }
  return quantile(taken, 0.5);
}

async function firstByteMs(engine: Engine): Promise<number> {
  const submittedAt = performance.now();
  const { id } = await engine.submit({ kind: "shell", input: { command: "echo x" } });
  const hasByte = async (): Promise<boolean> => (await engine.readOutput(id)).bytes.length > 0;
  await engine.wait(id, { until: hasByte });
  const waited = performance.now() - submittedAt;
  if (!(await hasByte())) throw new Error("`echo x` left no output.");
  await engine.wait(id);
  return waited;
}

async function bareFirstByteMs(): Promise<number> {
  const startedAt = performance.now();
  const child = spawn("bash", ["-c", "echo x"], { stdio: ["ignore", "pipe", "ignore"] });
  const closed = once(child, "close");
  await once(child.stdout, "data");
  const waited = performance.now() - startedAt;
  await closed;
  return waited;
}

async function measureCapture(engine: Engine, bytes: number): Promise<number> {
  await runMany(engine, "true", warmUpJobs);
  return elapsedMs(() => writeZeros(engine, bytes));
}

async function measureMemory(engine: Engine, bytes: number): Promise<number> {
  await writeZeros(engine, warmUpBytes);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let max = before;
  const looking = setInterval(() => {
    max = Math.max(max, process.memoryUsage.rss());
  }, memoryLookMs);
  await writeZeros(engine, bytes);
  clearInterval(looking);
  return (max - before) / 1024 ** 2;
}

async function writeZeros(engine: Engine, bytes: number): Promise<void> {
  const [job] = await runMany(engine, `head -c ${bytes} /dev/zero`, 1);
  const sizes = await engine.outputSizes(job?.id ?? "");
  const size = sizes["stdout"]?.size;
  if (size !== bytes) throw new Error(`A job wrote ${bytes} bytes, of which ${size ?? "none"} were counted.`);
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

answerParent(measure);
