import { describe, expect, it } from "vitest";
import type { Actor, Engine } from "../../src/index.ts";
import type { JobView } from "../../src/operations/job-view.ts";
import { refusal } from "../engine/world.ts";
import { useShell } from "../kinds/shell/world.ts";
import { until } from "../until.ts";
import { call } from "./call.ts";

const world = useShell();

interface Output {
  readonly text: string;
  readonly next: number;
  readonly is_complete: boolean;
}

async function run(engine: Engine, input: object, actor: Actor = {}): Promise<JobView> {
  return (await call(engine, "run_command", input, actor)) as JobView;
}

async function output(engine: Engine, input: object): Promise<Output> {
  return (await call(engine, "job_output", input)) as Output;
}

async function textOf(engine: Engine, id: string, stream = "merged"): Promise<string> {
  await call(engine, "job_wait", { ids: [id] });
  return (await output(engine, { id, stream })).text;
}

/** All that the job writes, read on by `next` while it runs. */
async function follow(engine: Engine, id: string): Promise<string> {
  let text = "";
  for (let from = 0; ;) {
    const page = await output(engine, { id, from, wait_ms: 60_000 });
    text += page.text;
    from = page.next;
    if (page.is_complete) return text;
  }
}

describe("run_command", () => {
  it("runs a command line in the background, and its end, output and result can be read", async () => {
    const engine = await world().open();
    const job = await run(engine, { command: "echo out; echo err >&2", name: "echo", tags: ["t"], batch: "b" });
    expect(job).toMatchObject({ kind: "shell", name: "echo", tags: ["t"], batch: "b", attempt: 1, attempts: 1 });
    expect(await call(engine, "job_wait", { ids: ["echo"] })).toMatchObject({
      reached: true,
      jobs: [{ id: job.id, state: "succeeded", exit_code: 0 }],
    });
    expect(await output(engine, { id: "echo", stream: "stdout" })).toMatchObject({ text: "out\n", is_complete: true });
    expect(await output(engine, { id: "echo", stream: "stderr" })).toMatchObject({ text: "err\n", is_complete: true });
    expect((await output(engine, { id: "echo" })).text.split("\n").toSorted()).toEqual(["", "err", "out"]);
    expect(await call(engine, "job_get", { id: "echo" })).toMatchObject({
      input: { command: "echo out; echo err >&2" },
      result: { exit_code: 0, signal: null },
    });
  });

  it("passes on argv, environment, working directory and input", async () => {
    const engine = await world().open();
    const words = await run(engine, { argv: ["printf", "%s|", "a b", "$HOME"] });
    const shell = await run(engine, {
      command: 'echo "$GREETING"; pwd; cat',
      env: { GREETING: "hi" },
      cwd: world().base,
      stdin: "typed",
      shell: "sh",
    });
    expect(await textOf(engine, words.id)).toBe("a b|$HOME|");
    expect(await textOf(engine, shell.id)).toBe(`hi\n${world().base}\ntyped`);
  });

  it("shows the exit code of a command that failed", async () => {
    const engine = await world().open();
    const { id } = await run(engine, { command: "exit 3" });
    expect(await call(engine, "job_wait", { ids: [id] })).toMatchObject({
      jobs: [{ state: "failed", exit_code: 3, error: { code: "exit_code" } }],
    });
  });

  it("passes on attempts, time limits, delay, priority and idempotency", async () => {
    const engine = await world().open();
    const input = { command: "true", delay_ms: 3_600_000, attempts: 3, timeout_ms: 1_000, idle_timeout_ms: 500 };
    const first = await run(engine, { ...input, priority: 5, idempotency_key: "k" });
    expect(first).toMatchObject({ state: "queued", attempts: 3 });
    expect(first).toHaveProperty("run_at");
    expect(await engine.get(first.id)).toMatchObject({ priority: 5, limits: { runMs: 1_000, idleMs: 500 } });
    expect(await run(engine, { ...input, priority: 5, idempotency_key: "k" })).toMatchObject({ id: first.id });
  });

  it("runs after the jobs that it names, by any reference", async () => {
    const engine = await world().open();
    const first = await run(engine, { command: "read -r line; echo first >> order", name: "first" });
    const second = await run(engine, { command: "cat order", after: ["first"] });
    expect(await call(engine, "job_get", { id: second.id })).toMatchObject({
      state: "queued",
      reason: "it waits for 1 other job (first)",
    });
    await world().pid(first.id);
    await call(engine, "job_send", { id: first.id, text: "go" });
    expect(await textOf(engine, second.id)).toBe("first\n");
  });

  it("belongs to the one who started it", async () => {
    const engine = await world().open();
    const { id, owner } = await run(engine, { command: "true" }, { owner: "ann", by: "Ann" });
    expect(owner).toBe("ann");
    await expect(call(engine, "job_output", { id }, { owner: "bob" })).rejects.toMatchObject(refusal("not_found"));
  });

  it.each([
    ["neither command nor argv", {}, "invalid_input", /must have either command or argv/],
    ["both command and argv", { command: "true", argv: ["true"] }, "invalid_input", /must have either command or argv/],
    ["an empty command", { command: " " }, "invalid_input", /command/],
    ["an unknown job to wait for", { command: "true", after: ["nobody"] }, "not_found", /"nobody"/],
    ["a bad variable name", { command: "true", env: { "a b": "c" } }, "invalid_input", /env/],
    ["a bad ready pattern", { command: "true", ready: { pattern: "(?=a)" } }, "invalid_input", /look-around/],
    ["no ready condition", { command: "true", ready: {} }, "invalid_input", /ready/],
  ] as const)("with %s is refused in one sentence, and makes no job", async (_, input, code, message) => {
    const engine = await world().open();
    const refused = run(engine, input);
    await expect(refused).rejects.toMatchObject(refusal(code, message));
    await expect(refused).rejects.toMatchObject(refusal(code, /^[^\n]+\.$/));
    expect(await call(engine, "job_count")).toMatchObject({ counts: [] });
  });

  it("is shown with its secrets hidden, in its input and in lists", async () => {
    const engine = await world().open({ secrets: ["known-secret-value"] });
    const command = "echo known-secret-value; API_KEY=abcd1234 true";
    const { id } = await run(engine, { command, env: { MY_TOKEN: "abcd1234" } });
    expect(await textOf(engine, id)).toContain("\n");
    const hidden = "echo [redacted]; API_KEY=[redacted] true";
    expect(await call(engine, "job_get", { id })).toMatchObject({
      input: { command: hidden, env: { MY_TOKEN: "[redacted]" } },
    });
    expect(await call(engine, "job_list")).toMatchObject({ jobs: [{ id, summary: hidden }] });
  });

  it("is summed up in lists by the beginning of its command line or its words", async () => {
    const engine = await world().open();
    await run(engine, { argv: ["echo", "a", "b c"] });
    await run(engine, { command: `true ${"x".repeat(1_000)}` });
    expect(await call(engine, "job_list")).toMatchObject({
      jobs: [{ summary: `true ${"x".repeat(195)}…` }, { summary: "echo a b c" }],
    });
  });
});

describe("job_wait on a command", () => {
  it("until ready sees the line that tells it, and job_get shows the live process", async () => {
    const engine = await world().open();
    const { id } = await run(engine, { command: "echo listening; read -r line", ready: { pattern: "^listening" } });
    expect(await call(engine, "job_wait", { ids: [id], until: "ready" })).toMatchObject({
      reached: true,
      jobs: [{ state: "running", live: { pid: await world().pid(id) } }],
    });
    await call(engine, "job_cancel", { ids: [id] });
    expect(await call(engine, "job_wait", { ids: [id] })).toMatchObject({ jobs: [{ state: "cancelled" }] });
  });
});

describe("job_send to a command", () => {
  it("ends each text with just one line end, unless told not to", async () => {
    const engine = await world().open();
    const command = 'IFS= read -r a; IFS= read -r b; IFS= read -r c; echo "$a|$b|$c"';
    const { id } = await run(engine, { command });
    await world().pid(id);
    expect(await call(engine, "job_send", { id, text: "one\n" })).toEqual({ id, sent: 4 });
    expect(await call(engine, "job_send", { id, text: "two" })).toEqual({ id, sent: 4 });
    expect(await call(engine, "job_send", { id, text: "th", newline: false })).toEqual({ id, sent: 2 });
    expect(await call(engine, "job_send", { id, text: "rée" })).toEqual({ id, sent: 5 });
    expect(await textOf(engine, id)).toBe("one|two|thrée\n");
  });
});

describe("merged output", () => {
  const bodies = {
    stdout: "echo out$i; sleep 0.02; echo err$i >&2; sleep 0.02",
    stderr: "echo err$i >&2; sleep 0.02; echo out$i; sleep 0.02",
  };

  async function expectNothingLost(engine: Engine, id: string, followed: string): Promise<void> {
    expect(followed).toBe(await textOf(engine, id));
    for (const stream of ["stdout", "stderr"]) {
      const lines = followed.split("\n").filter((line) => line.startsWith(stream.slice(3)));
      expect(lines.join("\n")).toBe((await textOf(engine, id, stream)).trimEnd());
    }
  }

  it.each(["stdout", "stderr"] as const)(
    "followed while a command runs that begins on %s is what it is in the end",
    async (first) => {
      const engine = await world().open();
      const command = `for i in {1..25}; do ${bodies[first]}; done`;
      const jobs = await Promise.all([1, 2, 3].map(() => run(engine, { command })));
      const followed = await Promise.all(
        jobs.map(async ({ id }) => {
          await until(async () => (await engine.outputSizes(id))["order"] !== undefined);
          return follow(engine, id);
        }),
      );
      for (const [index, { id }] of jobs.entries()) await expectNothingLost(engine, id, followed[index] ?? "");
    },
  );

  it("is the same text when it is followed from before the first byte", async () => {
    const engine = await world().open();
    for (const body of Object.values(bodies)) {
      const command = `for i in {1..5}; do ${body}; done`;
      const jobs = await Promise.all(Array.from({ length: 12 }, () => run(engine, { command })));
      const followed = await Promise.all(jobs.map(({ id }) => follow(engine, id)));
      for (const [index, { id }] of jobs.entries()) await expectNothingLost(engine, id, followed[index] ?? "");
    }
  });

  it("has each line of a command that lets the reader see it before it writes the next", async () => {
    const engine = await world().open();
    const { id } = await run(engine, {
      command: "for i in 1 2 3; do echo out$i; read -r _; echo err$i >&2; read -r _; done",
    });
    await world().pid(id);
    let [text, from] = ["", 0];
    for (const line of ["out1", "err1", "out2", "err2", "out3", "err3"]) {
      while (!text.endsWith(`${line}\n`)) {
        const page = await output(engine, { id, from, wait_ms: 30_000 });
        expect(page.is_complete).toBe(false);
        text += page.text;
        from = page.next;
      }
      await call(engine, "job_send", { id, text: "" });
    }
    expect(text).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\n");
    expect(await textOf(engine, id)).toBe(text);
  });
});
