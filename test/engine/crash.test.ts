import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFailed, test } from "vitest";
import { z } from "zod";
import { defineKind, isTerminal, JobFailure, jobStatuses, openEngine } from "../../src/index.ts";
import type { Engine, Job, JobEvent, JobId, JobStatus, Json, LonghaulError } from "../../src/index.ts";
import { assertNever } from "../../src/job/error.ts";
import { shortLived, type Fact } from "../fixtures/crash-worker.ts";
import { seededRandom } from "../seeded-random.ts";
import { until } from "../until.ts";

const rounds = Number(process.env["LONGHAUL_CRASH_ROUNDS"] ?? 25);
const firstSeed = Number(process.env["LONGHAUL_CRASH_SEED"] ?? Date.now() % 1_000_000);
const workerFile = fileURLToPath(new URL("../../.build/test/fixtures/crash-worker.js", import.meta.url));
const drainMs = 20_000;
const wantedEvents: readonly JobEvent["type"][] = [
  "attempt-adopted",
  "attempt-interrupted",
  "attempt-failed",
  "question-answered",
  "cancel-requested",
  "job-retried",
];

const late = defineKind({ name: "late", onInterrupt: "restart", input: z.object({}), run: async () => null });

let worker: Worker | undefined;

afterEach(() => {
  worker?.process.kill("SIGKILL");
});

test(
  "killed at any moment, an engine keeps all that it acknowledged, ends every job once, and leaves none behind",
  async () => {
    const base = mkdtempSync(join(tmpdir(), "longhaul-crash-"));
    onTestFailed(() => console.error(`seed ${firstSeed} (set LONGHAUL_CRASH_SEED); the folder is kept: ${base}`));
    const random = seededRandom(firstSeed);
    const ledger = new Ledger();
    const check = async (): Promise<Job[]> => withReader(base, (engine) => checkAll(engine, ledger, base));

    // A loaded machine gets through less in a life: then it takes more of them.
    for (let round = 0; round < rounds || (round < 4 * rounds && ledger.lacks().length > 0); round++) {
      worker = startWorker(base, "load", firstSeed + round);
      await killAtRandomMoment(worker, random);
      expectNoViolations(worker);
      ledger.add(worker);
      // Now and then the next life begins on what the crash left, not on what a reader has put in order.
      if (random() < 0.75) await check();
    }

    worker = startWorker(base, "drain", firstSeed);
    const { exited, facts } = worker;
    await until(() => facts.some(({ saw }) => saw === "drained"), { timeoutMs: drainMs }).catch((error: unknown) => {
      worker?.process.kill("SIGKILL");
      throw error;
    });
    expect(await exited).toBe("0");
    expectNoViolations(worker);
    ledger.add(worker);
    ledger.forgetChecks();
    const jobs = await check();
    expect(jobs.filter((job) => !isTerminal(job.state))).toEqual([]);
    expect(jobs.filter((job) => job.tags.includes(shortLived))).toEqual([]);
    expect(readdirSync(join(base, "home", "output")).filter((id) => ledger.purged.has(id as JobId))).toEqual([]);
    expectVariety(ledger, jobs);
    await outsideWorkIsDone(base);
    rmSync(base, { recursive: true });
  },
  60_000 + rounds * 10_000,
);

test("killed while it makes its folder, an engine leaves one that the next can open", async () => {
  onTestFailed(() => console.error(`seed ${firstSeed} (set LONGHAUL_CRASH_SEED)`));
  const random = seededRandom(firstSeed);
  for (let round = 0; round < 6; round++) {
    const base = mkdtempSync(join(tmpdir(), "longhaul-crash-"));
    worker = startWorker(base, "load", firstSeed + round);
    const { facts, exited } = worker;
    await until(() => facts.length > 0, { timeoutMs: 20_000 });
    await sleep(random() * 30);
    worker.process.kill("SIGKILL");
    await exited;
    const statuses = await withReader(base, async (engine) => (await engine.list()).jobs);
    expect(statuses.length).toBeGreaterThanOrEqual(facts.filter(({ saw }) => saw === "submitted").length);
    rmSync(base, { recursive: true });
  }
});

test("killed while it changes the mode of its database, an engine leaves one that the next can open", async () => {
  const base = mkdtempSync(join(tmpdir(), "longhaul-crash-"));
  const engine = await openEngine({ home: join(base, "home"), kinds: [late] });
  const requests = Array.from({ length: 300 }, () => ({ kind: "late", input: {}, delayMs: 3_600_000 }));
  await engine.submitMany(requests);
  await engine.stop();
  await killWhenReady(startWorker(base, "half", firstSeed));
  const counts = await withReader(base, (reader) => reader.count({ owner: "local" }));
  expect(counts).toEqual([{ kind: "late", status: "queued", count: 300 }]);
  rmSync(base, { recursive: true });
});

test("jobs that were held by a kind which is gone do not keep the others from being rescued", async () => {
  const base = mkdtempSync(join(tmpdir(), "longhaul-crash-"));
  const facts = await killWhenReady(startWorker(base, "crowd", firstSeed));
  const ids = facts.flatMap((fact) => (fact.saw === "submitted" ? [fact.id] : []));
  const engine = await openEngine({ home: join(base, "home"), kinds: [late], leaseMs: 300 });
  try {
    const { jobs } = await engine.wait(ids, { timeoutMs: 5_000 });
    expect(jobs.map((job) => job.state.status)).toEqual(["succeeded"]);
  } finally {
    await engine.stop();
    rmSync(base, { recursive: true });
  }
});

test("a retry that comes while its job is being purged is refused, or the job is kept with its output", async () => {
  const home = mkdtempSync(join(tmpdir(), "longhaul-crash-"));
  const loud = defineKind({
    name: "loud",
    onInterrupt: "restart",
    input: z.object({}),
    run: async (_input, { output }) => {
      output().write("heard");
      throw new JobFailure("loud", "it always fails", { retryable: false });
    },
  });
  const engine = await openEngine({ home, kinds: [loud], retention: { failedMs: 0 } });
  const { id } = await engine.submit({ kind: "loud", input: {} });
  await engine.wait(id);
  const pruning = engine.prune();
  const retried = await engine.retry(id).then(
    () => "retried",
    () => "refused",
  );
  await pruning;
  const found = await engine.readOutput(id, { attempt: 1 }).then(
    ({ bytes }) => Buffer.from(bytes).toString(),
    (error: LonghaulError) => error.code,
  );
  expect(["retried: heard", "refused: expired"]).toContain(`${retried}: ${found}`);
  await engine.stop();
  rmSync(home, { recursive: true });
});

// The worker process.

interface Worker {
  readonly process: ChildProcess;
  readonly facts: Fact[];
  /** The exit code or signal, once all that it wrote has been read. */
  readonly exited: Promise<string>;
  readonly complaints: () => string;
}

function startWorker(base: string, mode: "load" | "drain" | "crowd" | "half", seed: number): Worker {
  const child = spawn(process.execPath, [workerFile, base, mode, String(seed)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const facts: Fact[] = [];
  let rest = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    facts.push(...lines.map((line) => JSON.parse(line) as Fact));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exited = new Promise<string>((resolve) => {
    child.on("close", (code, signal) => resolve(signal ?? String(code)));
  });
  return { process: child, facts, exited, complaints: () => stderr };
}

/** Mostly while it works; sometimes while it opens the folder and takes over what was left; sometimes while it stops. */
async function killAtRandomMoment(
  { process: child, facts, exited, complaints }: Worker,
  random: () => number,
): Promise<void> {
  const moment = random();
  const [isEarly, isLate] = [moment < 0.2, moment > 0.85];
  const sign = isEarly ? "opening" : "ready";
  await until(() => child.exitCode !== null || facts.some(({ saw }) => saw === sign), { timeoutMs: 20_000 });
  await sleep(isEarly ? random() * 40 : 30 + random() * 370);
  if (isLate) {
    child.kill("SIGTERM");
    await sleep(random() * 60);
  }
  child.kill("SIGKILL");
  expect(isLate ? ["SIGKILL", "0"] : ["SIGKILL"], `stderr: ${complaints()}`).toContain(await exited);
}

async function killWhenReady(started: Worker): Promise<Fact[]> {
  worker = started;
  const { process: child, facts, exited, complaints } = started;
  await until(() => child.exitCode !== null || facts.some(({ saw }) => saw === "ready"), { timeoutMs: 20_000 });
  child.kill("SIGKILL");
  expect(await exited, `stderr: ${complaints()}`).toBe("SIGKILL");
  return facts;
}

function expectNoViolations({ facts }: Worker): void {
  expect(facts.flatMap((fact) => (fact.saw === "violation" ? [fact.message] : []))).toEqual([]);
}

/** The processes of the adopted kind end by themselves; the folder must outlive them. */
async function outsideWorkIsDone(base: string): Promise<void> {
  const folder = join(base, "witness");
  await until(() => {
    const names = readdirSync(folder);
    return names.filter((name) => name.endsWith(".claim")).every((name) => names.includes(`${name.slice(0, -6)}.done`));
  });
}

// What the workers were told.

class Ledger {
  /** Every job that somebody was told of. */
  readonly seen = new Set<JobId>();
  /** Each job's events as last read: what was read once must never change. */
  readonly events = new Map<JobId, JobEvent[]>();
  readonly purged = new Set<JobId>();
  /** Jobs whose result was found to be whole. */
  readonly whole = new Set<JobId>();
  /** Facts that have not been held against the store yet, and those that have. */
  fresh: Fact[] = [];
  known: Fact[] = [];

  add({ facts }: Worker): void {
    this.fresh.push(...facts);
    for (const fact of facts) if ("id" in fact) this.seen.add(fact.id);
  }

  /** What the load is meant to bring about, and what has not been seen yet. */
  lacks(): string[] {
    const happened = new Set([...this.events.values()].flatMap((events) => events.map(({ type }) => type)));
    return wantedEvents.filter((type) => !happened.has(type));
  }

  /** The next check looks at everything again, not only at what is new. */
  forgetChecks(): void {
    this.fresh = [...this.known, ...this.fresh];
    this.known = [];
    this.whole.clear();
  }
}

/** Opens the folder with an engine that knows no kinds: it changes nothing, so the state is as the crash left it. */
async function withReader<T>(base: string, read: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine({ home: join(base, "home"), kinds: [] });
  try {
    return await read(engine);
  } finally {
    await engine.stop();
  }
}

async function checkAll(engine: Engine, ledger: Ledger, base: string): Promise<Job[]> {
  const jobs = await listAll(engine);
  const byId = new Map(jobs.map((job) => [job.id, job]));
  for (const id of ledger.seen) if (!byId.has(id)) await expectPurged(engine, id, ledger);
  for (const job of jobs) {
    const events = await readAll(engine, job);
    expectSameHistory(job, ledger.events.get(job.id) ?? [], events);
    expectStateFollowsFrom(job, events);
    expectInterruptedAsAgreed(job, events);
    expectDependenciesFirst(job, byId, ledger, events);
    ledger.events.set(job.id, events);
    if (job.state.status !== "succeeded" || ledger.whole.has(job.id)) continue;
    await expectWholeResult(engine, job, events, base);
    ledger.whole.add(job.id);
  }
  expectKeysUnique(jobs);
  await expectBatches(engine, jobs);
  for (const fact of ledger.fresh) await expectStillTrue(fact, engine, ledger, byId);
  ledger.known.push(...ledger.fresh);
  ledger.fresh = [];
  return jobs;
}

async function listAll(engine: Engine): Promise<Job[]> {
  const all: Job[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await engine.list({}, { limit: 1_000, cursor });
    all.push(...page.jobs);
    if (page.cursor === undefined) return all;
    cursor = page.cursor;
  }
}

async function readAll(engine: Engine, job: Job): Promise<JobEvent[]> {
  const all: JobEvent[] = [];
  for (;;) {
    const page = await engine.events(job.id, all.length, 1_000);
    all.push(...page);
    if (page.length < 1_000) return all;
  }
}

async function expectPurged(engine: Engine, id: JobId, ledger: Ledger): Promise<void> {
  await expect(engine.get(id), `job ${id} was seen`).rejects.toMatchObject({ code: "expired" });
  ledger.purged.add(id);
}

/** Compared as text first, because a thousand deep comparisons take their time. */
function expectSameHistory(job: Job, before: readonly JobEvent[], now: readonly JobEvent[]): void {
  const then = now.slice(0, before.length);
  if (JSON.stringify(then) !== JSON.stringify(before)) {
    expect(then, `events of job ${job.id} that were there before`).toEqual(before);
  }
  const isGapless = now.every(({ seq }, index) => seq === index + 1) && now.length === job.lastSeq;
  if (!isGapless) expect.fail(`job ${job.id} says ${job.lastSeq} events, and has ${now.map(({ seq }) => seq).join()}`);
}

// The state machine, written once more, from the events alone.

interface Told {
  readonly status: JobStatus;
  readonly attempt: number;
  readonly interruptions: number;
  readonly open: ReadonlySet<string>;
  readonly isCancelRequested: boolean;
}

function expectStateFollowsFrom(job: Job, events: readonly JobEvent[]): void {
  const { state } = job;
  const told = replay(events);
  const isSame =
    state.status === told.status &&
    state.attempt === told.attempt &&
    state.interruptions === told.interruptions &&
    (state.status !== "waiting" || state.openQuestions.toSorted().join() === [...told.open].toSorted().join()) &&
    (!("lease" in state) || (state.cancelRequest !== undefined) === told.isCancelRequested);
  if (isSame) return;
  const history = events.map(({ type }) => type).join(", ");
  expect.fail(`job ${job.id} (${job.kind}) is ${JSON.stringify(state)}, but its events are ${history}`);
}

function replay(events: readonly JobEvent[]): Told {
  const [first, ...rest] = events;
  if (first?.type !== "job-submitted") throw new Error("the first event is not job-submitted");
  const start: Told = { status: "queued", attempt: 1, interruptions: 0, open: new Set(), isCancelRequested: false };
  return rest.reduce((told, event) => {
    const next = step(told, event);
    if (next === undefined) throw new Error(`after ${JSON.stringify(told)} came ${JSON.stringify(event)}`);
    return next;
  }, start);
}

/** Undefined where the event may not come in this state. */
function step(told: Told, event: JobEvent): Told | undefined {
  const isHeld = told.status === "running" || told.status === "waiting";
  const isQueued = told.status === "queued";
  const requeued = { ...told, status: "queued" as const, open: new Set<string>() };
  switch (event.type) {
    case "job-submitted":
      return undefined;
    case "attempt-started":
      return isQueued && event.attempt === told.attempt ? { ...told, status: "running" } : undefined;
    case "attempt-adopted":
      return isHeld && event.attempt === told.attempt ? { ...told, interruptions: told.interruptions + 1 } : undefined;
    case "attempt-interrupted":
      return isHeld && !told.isCancelRequested ? { ...requeued, interruptions: told.interruptions + 1 } : undefined;
    case "attempt-failed":
      return isHeld && !told.isCancelRequested
        ? { ...requeued, attempt: told.attempt + 1, interruptions: 0 }
        : undefined;
    case "progress-made":
    case "message-logged":
    case "text-sent":
    case "job-stalled":
    case "job-active-again":
      return isHeld ? told : undefined;
    case "question-asked":
      return isHeld ? { ...told, status: "waiting", open: new Set([...told.open, event.key]) } : undefined;
    case "question-answered": {
      const open = new Set([...told.open].filter((key) => key !== event.key));
      if (isHeld) return { ...told, open, status: open.size === 0 ? "running" : "waiting" };
      return isQueued ? told : undefined;
    }
    case "cancel-requested":
      return isHeld && !told.isCancelRequested ? { ...told, isCancelRequested: true } : undefined;
    case "job-finished": {
      const fromQueue = event.status === "cancelled" || event.status === "timed_out";
      const isAllowed = isQueued ? fromQueue : isHeld && (!told.isCancelRequested || event.status === "cancelled");
      return isAllowed && event.attempt === told.attempt ? { ...told, status: event.status } : undefined;
    }
    case "job-retried":
      return ["failed", "timed_out", "cancelled"].includes(told.status)
        ? { ...requeued, attempt: event.attempt, interruptions: 0, isCancelRequested: false }
        : undefined;
    default:
      return assertNever(event);
  }
}

/** Each kind goes on after a crash as it said it would. */
function expectInterruptedAsAgreed(job: Job, events: readonly JobEvent[]): void {
  const types = new Set(events.map(({ type }) => type));
  const isGivenUp = job.state.status === "failed" && job.state.failure.code === "interrupted";
  const isAgreed =
    (!isGivenUp || job.kind === "fragile") &&
    (!types.has("attempt-interrupted") || (job.kind !== "outside" && job.kind !== "fragile")) &&
    (!types.has("attempt-adopted") || job.kind === "outside");
  if (!isAgreed) expect.fail(`job ${job.id} (${job.kind}) was interrupted: ${JSON.stringify(events)}`);
}

function expectDependenciesFirst(
  job: Job,
  byId: ReadonlyMap<JobId, Job>,
  ledger: Ledger,
  events: readonly JobEvent[],
): void {
  if (!events.some(({ type }) => type === "attempt-started")) return;
  for (const id of job.dependsOn) {
    if (ledger.purged.has(id)) continue;
    expect(byId.get(id)?.state.status, `job ${job.id} has started, and depends on ${id}`).toBe("succeeded");
  }
}

// What was seen, held against what is stored.

async function expectStillTrue(
  fact: Fact,
  engine: Engine,
  ledger: Ledger,
  byId: ReadonlyMap<JobId, Job>,
): Promise<void> {
  if (fact.saw === "bulk") {
    for (const id of fact.ids) expect(byId.get(id)?.batch, `batch of job ${id}`).toBe(fact.batch);
  }
  if (!("id" in fact) || ledger.purged.has(fact.id)) return;
  if (fact.saw === "answered") return expectAnswered(engine, fact);
  const events = ledger.events.get(fact.id) ?? [];
  const seen = events.slice(0, fact.seq);
  const isThere = seen.length === fact.seq;
  const isSame =
    isThere && (fact.saw === "event" ? seen.at(-1)?.type === fact.type : replay(seen).status === fact.status);
  if (!isSame) expect.fail(`${JSON.stringify(fact)} was seen, but its events are ${JSON.stringify(events)}`);
}

async function expectAnswered(engine: Engine, { id, key, value }: Extract<Fact, { saw: "answered" }>): Promise<void> {
  const asked = (await engine.questions(id)).find((question) => question.key === key);
  expect(asked?.answer, `answer to ${key} of job ${id}`).toEqual({ action: "accept", content: { value } });
}

function expectKeysUnique(jobs: readonly Job[]): void {
  const keys = jobs.flatMap((job) => (job.idempotencyKey === undefined ? [] : [`${job.owner} ${job.idempotencyKey}`]));
  expect(keys.length).toBe(new Set(keys).size);
}

/** A bulk submit is there as a whole or not at all, also one whose answer the crash swallowed. */
async function expectBatches(engine: Engine, jobs: readonly Job[]): Promise<void> {
  const batches = new Map<string, Job[]>();
  for (const job of jobs) {
    if (job.batch !== undefined) batches.set(job.batch, [...(batches.get(job.batch) ?? []), job]);
  }
  for (const [batch, members] of batches) {
    const counts = await engine.count({ batch });
    for (const status of jobStatuses) {
      const counted = counts.filter((count) => count.status === status).reduce((sum, { count }) => sum + count, 0);
      expect(counted, `${status} jobs in ${batch}`).toBe(members.filter((job) => job.state.status === status).length);
    }
    if (batch.startsWith("bulk-")) expect(members.length, `jobs in ${batch}`).toBe(4);
  }
}

/** A job that succeeded has all that its last run produced. */
async function expectWholeResult(engine: Engine, job: Job, events: readonly JobEvent[], base: string): Promise<void> {
  const input = (await engine.input(job.id)) as Record<string, Json>;
  const result = (await engine.result(job.id)) as Record<string, Json> | null;
  const lastRun = events.slice(events.findLastIndex(({ type }) => type === "attempt-started"));
  switch (job.kind) {
    case "quick":
      return expect(result).toEqual(input);
    case "flaky":
      return expect(result).toEqual({ attempt: job.state.attempt });
    case "chatty":
      return expectWholeOutput(engine, job, lastRun, input["lines"] as number);
    case "counter":
      return expectRisingSteps(job, base, input["steps"] as number);
    case "asker": {
      const asked = await engine.questions(job.id);
      const values = asked
        .filter(({ key }) => key.startsWith(`a${job.state.attempt}q`))
        .map(({ answer }) => (answer?.action === "accept" ? answer.content["value"] : undefined));
      return expect(result).toEqual({ values });
    }
    case "parent": {
      const { jobs } = await engine.list({ parent: job.id });
      const children = result?.["children"] as Json[];
      expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(children));
      return expect(jobs.length, `children of job ${job.id}`).toBeLessThanOrEqual(2 * job.state.attempt);
    }
    case "fragile":
      return expect(job.state.interruptions).toBe(0);
    case "outside":
      return expect(existsSync(join(base, "witness", `${job.id}.${job.state.attempt}.done`))).toBe(true);
    default:
      throw new Error(`unexpected kind ${job.kind}`);
  }
}

async function expectWholeOutput(engine: Engine, job: Job, lastRun: readonly JobEvent[], lines: number): Promise<void> {
  const expected = Array.from({ length: lines }, (_, index) => `line ${index + 1}`);
  const logged = lastRun.flatMap((event) => (event.type === "message-logged" ? [event.message] : []));
  expect(logged, `log of job ${job.id}`).toEqual(expected);
  expect("progress" in job.state ? job.state.progress?.percent : undefined, `progress of job ${job.id}`).toBe(100);
  // The output of a short-lived job may be gone already: files are removed before the record.
  if (job.tags.includes(shortLived)) return;
  const { bytes } = await engine.readOutput(job.id);
  const written = Buffer.from(bytes).toString();
  const whole = expected.map((line) => `${line}\n`).join("");
  expect(written.endsWith(whole), `output of job ${job.id}: ${JSON.stringify(written)}`).toBe(true);
}

function expectRisingSteps(job: Job, base: string, steps: number): void {
  const noted = readFileSync(join(base, "witness", `${job.id}.steps`), "utf8")
    .trim()
    .split("\n")
    .map(Number);
  const sorted = [...new Set(noted)].toSorted((a, b) => a - b);
  expect(noted, `steps of job ${job.id}`).toEqual(sorted);
  expect(noted.at(-1), `last step of job ${job.id}`).toBe(steps);
}

/** Guards the test itself: what the load is meant to bring about did happen. */
function expectVariety(ledger: Ledger, jobs: readonly Job[]): void {
  expect(ledger.lacks()).toEqual([]);
  const ended = new Set(jobs.map((job) => job.state.status));
  expect([...ended].toSorted()).toEqual(["cancelled", "failed", "succeeded", "timed_out"]);
  expect(ledger.purged.size).toBeGreaterThan(0);
}
