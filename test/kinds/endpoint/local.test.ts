import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { useEndpoints, workersOf } from "./world.ts";

const world = useEndpoints();

/** A handler whose input says what it does. */
const handler = `
import { createInterface } from "node:readline";
const say = (what) => process.stdout.write(JSON.stringify(what) + "\\n");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let served = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, input, cancel } = JSON.parse(line);
  if (cancel) continue;
  served += 1;
  if (input.do === "echo") say({ id, output: { echo: input.text, pid: process.pid, served, endpoint: process.env.LONGHAUL_ENDPOINT } });
  if (input.do === "work") {
    console.log("getting started");
    console.error("on stderr");
    say({ id, progress: { percent: 40, message: "almost half" } });
    say({ id, stream: "one" });
    say({ id, stream: { two: 2 } });
    await sleep(input.ms ?? 0);
    say({ id, output: "worked" });
  }
  if (input.do === "fail") say({ id, error: "cannot do this" });
  if (input.do === "crash") { console.error("about to crash"); process.exit(3); }
  if (input.do === "leave") process.exit(0);
  if (input.do === "garbage") { console.log("{not json"); console.log('{"id":"other","output":"not yours"}'); console.log("[1]"); say({ id, output: "after all" }); }
  if (input.do === "huge") say({ id, output: "x".repeat(input.size) });
  if (input.do === "flood") { process.stdout.write("y".repeat(26_000_000) + "\\n"); say({ id, output: "too late" }); }
  if (input.do === "hang") for (;;) {}
  if (input.do === "sleep") { await sleep(input.ms); say({ id, output: "slept" }); }
}
`;

/** One that reads on while it works, and gives up a job when it is told to. */
const listener = `
import { createInterface } from "node:readline";
const timers = new Map();
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, cancel } = JSON.parse(line);
  if (cancel) {
    clearTimeout(timers.get(id));
    process.stdout.write(JSON.stringify({ id, error: "given up by " + process.pid }) + "\\n");
  } else timers.set(id, setTimeout(() => process.stdout.write(JSON.stringify({ id, output: process.pid }) + "\\n"), 60_000 * (timers.size === 0)));
});
`;

interface Echo {
  readonly output: { readonly echo: string; readonly pid: number; readonly served: number; readonly endpoint: string };
}

const echo = async (endpoint: string): Promise<Echo["output"]> => {
  const job = await world().run(endpoint, { do: "echo", text: "hi" });
  expect(job.state).toMatchObject({ status: "succeeded" });
  return ((await world().engine.result(job.id)) as unknown as Echo).output;
};

describe.each(["per_job", "warm"] as const)("a local endpoint, %s", (mode) => {
  const open = async (options = {}): Promise<void> => {
    await world().open({ named: { ep: world().local(handler, { mode, ...options }) } });
  };

  it("gives the input to its command, and keeps progress, stream, logs and result", async () => {
    await open();
    const job = await world().submit("ep", { do: "work", ms: 300 });
    await until(async () => JSON.stringify((await world().engine.get(job.id)).state).includes("almost half"));
    expect((await world().engine.get(job.id)).state).toMatchObject({ progress: { percent: 40, phase: "running" } });
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(await world().engine.result(job.id)).toMatchObject({ output: "worked" });
    expect(await world().output(job.id)).toBe('{"output":"one"}\n{"output":{"two":2}}\n');
    const logs = await world().output(job.id, "stderr");
    expect(logs).toContain("getting started\n");
    expect(logs).toContain("on stderr\n");
    expect((await echo("ep")).endpoint).toBe("ep");
  });

  it("tells an error of the handler, a crash and an early end apart, and serves the next job", async () => {
    await open();
    expect((await world().run("ep", { do: "fail" })).state).toMatchObject({
      status: "failed",
      failure: { code: "handler_error", message: "cannot do this", details: { error: "cannot do this" } },
    });
    expect((await world().run("ep", { do: "crash" })).state).toMatchObject({
      status: "failed",
      failure: {
        code: "worker_broken",
        message: "The worker ended with exit code 3 without a result: about to crash.",
        details: { exit_code: 3 },
      },
    });
    expect((await world().run("ep", { do: "leave" })).state).toMatchObject({
      failure: { message: "The worker ended with exit code 0 without a result." },
    });
    expect((await echo("ep")).served).toBe(1);
  });

  it("tries a job again whose worker crashed, by its limits", async () => {
    await open();
    const limits = { attempts: 3, backoff: { initialMs: 1, factor: 1, maxMs: 1, jitter: 0 } };
    expect((await world().run("ep", { do: "crash" }, { limits })).state).toMatchObject({
      status: "failed",
      attempt: 3,
    });
  });

  it("takes lines that are no message for logs, long lines whole, and gives up on endless ones", async () => {
    await open();
    const garbage = await world().run("ep", { do: "garbage" });
    expect(await world().engine.result(garbage.id)).toMatchObject({ output: "after all" });
    expect(await world().output(garbage.id, "stderr")).toBe('{not json\n{"id":"other","output":"not yours"}\n[1]\n');
    const huge = await world().run("ep", { do: "huge", size: 10_000_000 });
    const result = (await world().engine.result(huge.id)) as { output: string };
    expect(result.output.length).toBe(10_000_000);
    expect((await world().run("ep", { do: "flood" })).state).toMatchObject({
      failure: { code: "worker_broken", message: "The worker wrote a line of more than 25000000 bytes." },
    });
    await echo("ep");
  });

  it("kills a worker that hangs past its time, or when its job is cancelled, and replaces it", async () => {
    await open({ timeoutMs: 45_000, idleTimeoutMs: 40_000 });
    const hung = await world().run("ep", { do: "hang" }, { limits: { runMs: 300 } });
    expect(hung.state).toMatchObject({ status: "timed_out", failure: { code: "run_limit" } });
    const cancelled = await world().submit("ep", { do: "hang" });
    expect(cancelled.limits).toMatchObject({ runMs: 45_000, idleMs: 40_000 });
    await until(async () => (await world().engine.get(cancelled.id)).state.status === "running");
    await world().engine.cancel(cancelled.id, "enough");
    expect((await world().end(cancelled.id)).state).toMatchObject({ status: "cancelled" });
    expect(await echo("ep")).toMatchObject({ served: 1 });
  });

  it("runs as many jobs at once as it may, whatever other endpoints do: 50 jobs over 3 workers", async () => {
    const script = `
      import { appendFileSync } from "node:fs";
      import { createInterface } from "node:readline";
      for await (const line of createInterface({ input: process.stdin })) {
        const { id, input } = JSON.parse(line);
        appendFileSync(process.env.TRACE, "+\\n");
        await new Promise((resolve) => setTimeout(resolve, 5));
        appendFileSync(process.env.TRACE, "-\\n");
        process.stdout.write(JSON.stringify({ id, output: [input.n, process.pid] }) + "\\n");
      }`;
    const trace = world().path("trace");
    const three = world().local(script, { mode, concurrency: 3, env: { TRACE: trace } });
    await world().open({ named: { three, other: world().local(handler, { mode }) } });
    const count = mode === "warm" ? 50 : 12;
    const jobs = await Promise.all(Array.from({ length: count }, (_, n) => world().submit("three", { n })));
    await echo("other");
    const results: number[][] = [];
    for (const { id } of jobs) {
      await world().end(id);
      results.push(((await world().engine.result(id)) as { output: number[] }).output);
    }
    expect(results.map(([n]) => n)).toEqual(jobs.map((_, n) => n));
    expect(new Set(results.map(([, pid]) => pid)).size).toBe(mode === "warm" ? 3 : count);
    let running = 0;
    let max = 0;
    for (const mark of readFileSync(trace, "utf8").trim().split("\n")) {
      running += mark === "+" ? 1 : -1;
      max = Math.max(max, running);
    }
    expect(max).toBeLessThanOrEqual(3);
  });

  it("leaves no process behind when it closes", async () => {
    await open();
    await echo("ep");
    const sleeping = await world().submit("ep", { do: "sleep", ms: 60_000 });
    await until(async () => (await world().engine.get(sleeping.id)).state.status === "running");
    await until(() => workersOf(world().home).length > 0);
    await world().close();
    expect(workersOf(world().home)).toEqual([]);
  });
});

describe("a warm endpoint", () => {
  it("keeps its worker from job to job, and lets it go when it has had none for long", async () => {
    await world().open({ named: { ep: world().local(handler, { mode: "warm", keepMs: 300 }) } });
    const first = await echo("ep");
    expect(await echo("ep")).toMatchObject({ pid: first.pid, served: 2 });
    await until(() => workersOf(world().home).length === 0);
    expect((await echo("ep")).served).toBe(1);
  });

  it("keeps a worker that gives up its job when told to", async () => {
    await world().open({ named: { ep: world().local(listener, { mode: "warm" }) } });
    const job = await world().submit("ep");
    await until(async () => (await world().engine.get(job.id)).state.status === "running");
    await until(() => workersOf(world().home).length === 2);
    const before = workersOf(world().home);
    await world().engine.cancel(job.id, "enough");
    expect((await world().end(job.id)).state.status).toBe("cancelled");
    expect(workersOf(world().home)).toEqual(before);
    const next = await world().run("ep");
    expect(before).toContain(((await world().engine.result(next.id)) as { output: number }).output);
  });

  it("replaces a worker that died while it had nothing to do", async () => {
    await world().open({ named: { ep: world().local(handler, { mode: "warm" }) } });
    const { pid } = await echo("ep");
    process.kill(pid, "SIGKILL");
    await until(() => workersOf(world().home).length === 0);
    expect((await echo("ep")).pid).not.toBe(pid);
  });

  it("counts as unhealthy when its workers keep breaking", async () => {
    await world().open({ named: { ep: world().local(handler, { mode: "warm" }) } });
    await world().run("ep", { do: "crash" });
    await world().run("ep", { do: "crash" });
    expect(await world().directory?.queueHint("ep")).toMatchObject({
      hint: expect.stringMatching(/crash loop/) as string,
    });
    await echo("ep");
    expect((await world().directory?.health("ep"))?.workers.unhealthy).toBe(0);
    expect((await world().directory?.health("ep"))?.jobs).toMatchObject({ completed: 1, failed: 2 });
  });
});

describe("a job for an endpoint", () => {
  it("is refused at once if there is no such endpoint, or its input does not fit its schema", async () => {
    const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    await world().open({ named: { ep: world().local(handler, { inputSchema }) } });
    await expect(world().submit("ep", { n: "x" })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^The input does not fit the schema of endpoint "ep": .+/) as string,
    });
    await expect(world().submit("ep", {}, { input: { webhook: "https://x.example" } })).rejects.toThrow(/webhook/);
    await expect(world().submit("no such name")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(world().submit("ep", { n: 1 }, { input: { policy: { ttl: 1 } } })).rejects.toThrow(/policy.ttl/);
    expect(await world().engine.count()).toEqual([]);
  });

  it("of a command that cannot be started says so", async () => {
    const missing = world().local("", { argv: ["/no/such/program"] });
    const nowhere = world().local("", { cwd: "/no/such/folder" });
    await world().open({ named: { missing, nowhere } });
    expect((await world().run("missing")).state).toMatchObject({
      failure: { code: "worker_broken", details: { exit_code: 127 } },
    });
    expect((await world().run("nowhere")).state).toMatchObject({
      failure: { code: "not_started", message: expect.stringContaining("/no/such/folder") as string },
    });
  });

  it("starts anew after a restart, and its stream says so", async () => {
    await world().open({ named: { ep: world().local(handler, { mode: "warm" }) } });
    const job = await world().submit("ep", { do: "work", ms: 500 });
    await until(async () => (await world().output(job.id)).includes("two"));
    await world().reopen();
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    const chunks = '{"output":"one"}\n{"output":{"two":2}}\n';
    expect(await world().output(job.id)).toBe(`${chunks}{"restarted":true}\n${chunks}`);
  });
});
