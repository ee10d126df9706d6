import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import { operations } from "../../src/operations/registry.ts";
import { Puppet, type PuppetAttempt } from "../engine/puppet.ts";
import { refusal, statusOf, useWorld } from "../engine/world.ts";
import { present } from "../present.ts";
import { until } from "../until.ts";
import { call, server } from "./call.ts";

const world = useWorld();

interface Started {
  readonly engine: Engine;
  readonly ids: string[];
  readonly attempts: PuppetAttempt[];
  readonly wait: (input?: object) => Promise<unknown>;
}

/** Jobs that run; waiting is for all of them unless told. */
async function start(count: number): Promise<Started> {
  const puppet = new Puppet();
  const engine = await world().open([puppet.kind]);
  const ids: string[] = [];
  const attempts: PuppetAttempt[] = [];
  for (let i = 0; i < count; i++) {
    ids.push((await engine.submit({ kind: "puppet", input: {} })).id);
    attempts.push(await puppet.next());
  }
  return { engine, ids, attempts, wait: (input = {}) => call(engine, "job_wait", { ids, ...input }) };
}

describe("job_wait", () => {
  it("waits until all jobs are done, and shows them", async () => {
    const { ids, attempts, wait } = await start(2);
    const waiting = wait();
    attempts[0]?.succeed();
    attempts[1]?.fail(new Error("no disk"));
    const answer = (await waiting) as { met: string[] };
    expect(answer).toMatchObject({
      reached: true,
      jobs: [
        { id: ids[0], state: "succeeded" },
        { id: ids[1], state: "failed" },
      ],
    });
    expect(new Set(answer.met)).toEqual(new Set(ids));
  });

  it("for any ends with the first job that is done", async () => {
    const { ids, attempts, wait } = await start(3);
    const waiting = wait({ for: "any" });
    attempts[1]?.fail(new Error("no disk"));
    expect(await waiting).toMatchObject({
      reached: true,
      met: [ids[1]],
      jobs: [{ state: "running" }, { state: "failed" }, { state: "running" }],
    });
  });

  it("for success passes over a job that fails", async () => {
    const { engine, ids, attempts, wait } = await start(3);
    const waiting = wait({ for: "success" });
    attempts[0]?.fail(new Error("no disk"));
    await until(async () => (await statusOf(engine, ids[0] ?? "")) === "failed");
    attempts[2]?.succeed();
    expect(await waiting).toMatchObject({
      reached: true,
      jobs: [{ state: "failed" }, { state: "running" }, { state: "succeeded" }],
    });
  });

  it("for a number ends when so many are done", async () => {
    const { ids, attempts, wait } = await start(3);
    const waiting = wait({ for: 2 });
    attempts[0]?.succeed();
    attempts[2]?.succeed();
    const answer = (await waiting) as { met: string[] };
    expect(answer).toMatchObject({ reached: true });
    expect(new Set(answer.met)).toEqual(new Set([ids[0], ids[2]]));
  });

  it("for more jobs than were named is refused", async () => {
    const { wait } = await start(2);
    await expect(wait({ for: 3 })).rejects.toMatchObject(
      refusal("invalid_input", /^for must be at most the number of jobs \(2\), got 3\.$/),
    );
    await expect(wait({ for: 0 })).rejects.toMatchObject(refusal("invalid_input", /^for must be at least 1, got 0/));
  });

  it("tells that it was not reached when the time runs out, and the jobs go on", async () => {
    const { engine, ids, wait } = await start(1);
    expect(await wait({ timeout_ms: 0 })).toMatchObject({ reached: false, met: [], jobs: [{ state: "running" }] });
    expect(await wait({ timeout_ms: 20 })).toMatchObject({ reached: false, met: [] });
    expect(await statusOf(engine, ids[0] ?? "")).toBe("running");
  });

  it("until a question shows the question", async () => {
    const { attempts, wait } = await start(1);
    const waiting = wait({ until: "question" });
    const asking = present(attempts[0]).context.ask({ message: "Sure?" }, "sure");
    asking.catch(() => undefined);
    expect(await waiting).toMatchObject({
      reached: true,
      jobs: [{ state: "waiting", questions: [{ key: "sure", message: "Sure?" }] }],
    });
  });

  it("until ready waits for that phase", async () => {
    const { attempts, wait } = await start(1);
    const { context } = present(attempts[0]);
    context.progress({ phase: "starting" });
    const waiting = wait({ until: "ready" });
    context.progress({ phase: "ready" });
    expect(await waiting).toMatchObject({ reached: true, jobs: [{ state: "running", progress: { phase: "ready" } }] });
  });

  it("until output ends when the job writes more", async () => {
    const { attempts, wait } = await start(1);
    const { context } = present(attempts[0]);
    const progress = { isOver: false };
    const waiting = wait({ until: "output" }).finally(() => {
      progress.isOver = true;
    });
    await until(() => {
      context.output("stderr").write(".");
      return progress.isOver;
    });
    expect(await waiting).toMatchObject({ reached: true, jobs: [{ state: "running" }] });
  });

  it("until a pattern ends with a line that matches, also one that was written before or has no end", async () => {
    const { attempts, wait } = await start(1);
    const { context } = present(attempts[0]);
    const waiting = wait({ pattern: "^listening on \\d+" });
    context.output().write("not listening on 1\nlisten");
    context.output().write("ing on 8080\n");
    expect(await waiting).toMatchObject({ reached: true, jobs: [{ state: "running" }] });
    expect(await wait({ pattern: "8080$" })).toMatchObject({ reached: true });
    context.output("stderr").write("Password: ");
    expect(await wait({ pattern: "Password: $" })).toMatchObject({ reached: true });
    expect(await wait({ pattern: "never", timeout_ms: 0 })).toMatchObject({ reached: false });
  });

  it.each(["question", "ready", "output", "stall"])("until %s ends with a job that ends first", async (what) => {
    const { attempts, wait } = await start(1);
    const waiting = wait({ until: what });
    attempts[0]?.succeed();
    expect(await waiting).toMatchObject({ reached: true, jobs: [{ state: "succeeded" }] });
  });

  it("refuses a pattern beside another condition, instead of dropping one of them", async () => {
    const { wait } = await start(1);
    await expect(wait({ pattern: "a", until: "stall" })).rejects.toMatchObject(
      refusal("invalid_input", /either a pattern or until/),
    );
  });

  it("refuses a pattern that RE2 does not take", async () => {
    const { wait } = await start(1);
    await expect(wait({ pattern: "(?=a)" })).rejects.toMatchObject(refusal("invalid_input", /no look-around/));
  });

  it("ends when the caller is gone", async () => {
    const { engine, ids } = await start(1);
    const caller = new AbortController();
    const waiting = operations
      .find(({ name }) => name === "job_wait")
      ?.call({ engine, actor: {}, server, signal: caller.signal }, { ids });
    caller.abort();
    expect(await waiting).toMatchObject({ reached: false });
  });

  it("shows one job once, however often it is named", async () => {
    const { ids, attempts, wait } = await start(1);
    attempts[0]?.succeed();
    const answer = (await wait({ ids: [ids[0], ids[0]], for: 2 })) as { jobs: unknown[] };
    expect(answer).toMatchObject({ reached: true, met: [ids[0]] });
    expect(answer.jobs).toHaveLength(1);
  });
});
