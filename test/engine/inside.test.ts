import { describe, expect, it } from "vitest";
import { createAttemptTokens } from "../../src/engine/attempt-tokens.ts";
import type { Actor, Engine } from "../../src/index.ts";
import { createInside } from "../../src/kinds/shell/inside.ts";
import { createRedactor } from "../../src/text/redact.ts";
import { present } from "../present.ts";
import { until } from "../until.ts";
import { turns } from "./fake-clock.ts";
import { Puppet, type PuppetAttempt } from "./puppet.ts";
import { refusal, stateOf, statusOf, untilStatus, useWorld } from "./world.ts";

const world = useWorld();
const attemptSecret = "s3cret";

function serveInside({ context }: PuppetAttempt, secrets: readonly string[] = []): string {
  context.serve({ inside: createInside(context, createRedactor(secrets)) });
  return present(context.token);
}

function actorOf(engine: Engine, token: string): Actor {
  const actor = engine.inside.check(token);
  if (actor === undefined || actor === "ended") throw new Error("expected the token of a running attempt");
  return actor;
}

describe("the token of an attempt", () => {
  it("is the same for an attempt that is adopted by another engine, and another for the next attempt", async () => {
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const { id, attempt } = await puppet.start(await world().open([puppet.kind], { attemptSecret }));
    const token = serveInside(attempt);
    const engine = await world().reopen();
    const adopted = await puppet.next();
    expect(serveInside(adopted)).toBe(token);
    expect(engine.inside.check(token)).toMatchObject({ attempt: { job: id, attempt: 1 } });
    adopted.fail(new Error("once more"));
    await untilStatus(engine, id, "failed");
    await until(() => engine.inside.check(token) === "ended");
    await engine.retry(id);
    const again = serveInside(await puppet.next());
    expect(again).not.toBe(token);
    expect(engine.inside.check(token)).toBe("ended");
    expect(engine.inside.check(again)).toMatchObject({ attempt: { job: id, attempt: 2 } });
  });

  it("is none that was made with another secret, for another attempt or another job, and there is none without a secret", async () => {
    const puppet = new Puppet();
    const { engine, attempt } = await puppet.start(await world().open([puppet.kind], { attemptSecret }));
    const token = serveInside(attempt);
    const { issue } = createAttemptTokens("another");
    expect(engine.inside.check(present(issue)(attempt.context.id, 1))).toBeUndefined();
    expect(engine.inside.check(token.replace("_1_", "_2_"))).toBeUndefined();
    expect(engine.inside.check(token.replace(/^lhj_./, "lhj_f"))).toBeUndefined();
    for (const text of ["", "lhj_", `${token}A`, token.slice(0, -1), token.toUpperCase()]) {
      expect(engine.inside.check(text)).toBeUndefined();
    }
    const without = new Puppet();
    await world().stop();
    const { attempt: plain } = await without.start(await world().open([without.kind]));
    expect(plain.context.token).toBeUndefined();
  });

  it("sees no job and does nothing by any other way of the engine", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind], { attemptSecret }));
    const actor = actorOf(engine, serveInside(attempt));
    await expect(engine.get(id, actor)).rejects.toMatchObject(refusal("not_found"));
    expect(await engine.list({}, {}, actor)).toEqual({ jobs: [] });
    expect(await engine.count({}, actor)).toEqual([]);
    await expect(engine.cancel(id, "x", actor)).rejects.toMatchObject(refusal("not_allowed", /nothing else/));
    await expect(engine.submit({ kind: "puppet", input: {} }, actor)).rejects.toMatchObject(refusal("not_allowed"));
    await expect(engine.tokens.create({ name: "x" }, actor)).rejects.toMatchObject(refusal("not_allowed"));
    expect(() => engine.inside.open({})).toThrow(/LONGHAUL_JOB_TOKEN/);
  });
});

describe("from inside its attempt", () => {
  it("a job gets progress that keeps its phase, and hides the secrets that are known", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind], { attemptSecret }));
    attempt.context.progress({ phase: "ready", message: "ready" });
    const inside = engine.inside.open(actorOf(engine, serveInside(attempt, ["hunter22"])));
    inside.progress({ percent: 40, message: "signing with hunter22" });
    await until(async () => (await stateOf(engine, id, "running")).progress?.percent === 40);
    expect((await stateOf(engine, id, "running")).progress).toMatchObject({ phase: "ready", percent: 40 });
    expect(JSON.stringify(await engine.events(id))).not.toContain("hunter22");
  });

  it("a question is stored when it is taken, waits for whoever comes back, and counts no idle time", async () => {
    const { clock } = world();
    const puppet = new Puppet();
    const engine = await world().openTimed([puppet.kind], { attemptSecret });
    const { id, attempt } = await puppet.start(engine, { limits: { idleMs: 10_000 } });
    const inside = engine.inside.open(actorOf(engine, serveInside(attempt)));
    expect(await inside.ask({ message: "Deploy?" }, "deploy", { ms: 0 })).toBeUndefined();
    expect(await stateOf(engine, id, "waiting")).toMatchObject({ openQuestions: ["deploy"] });
    await clock.advance(60_000);
    expect(await statusOf(engine, id)).toBe("waiting");
    const coming = inside.ask({ message: "Deploy?" }, "deploy", { ms: 60_000 });
    await engine.answer(id, "deploy", { action: "decline" });
    expect(await coming).toEqual({ action: "decline" });
    expect(await inside.ask({ message: "Deploy?" }, "deploy", { ms: 0 })).toEqual({ action: "decline" });
    expect(await statusOf(engine, id)).toBe("running");
    expect(await engine.questions(id)).toHaveLength(1);
  });

  it("an adopted job that waits for an answer counts no idle time before its command has come back", async () => {
    const { clock } = world();
    const puppet = new Puppet({ onInterrupt: "adopt" });
    const first = await world().openTimed([puppet.kind], { attemptSecret });
    const { id, attempt } = await puppet.start(first, { limits: { idleMs: 10_000 } });
    const asking = first.inside.open(actorOf(first, serveInside(attempt)));
    expect(await asking.ask({ message: "Deploy?" }, "deploy", { ms: 0 })).toBeUndefined();
    const engine = await world().reopen();
    serveInside(await puppet.next());
    await clock.advance(60_000);
    expect(await statusOf(engine, id)).toBe("waiting");
    await engine.answer(id, "deploy", { action: "accept", content: {} });
    expect(await statusOf(engine, id)).toBe("running");
    await turns();
    await clock.advance(60_000);
    await untilStatus(engine, id, "timed_out");
  });

  it("a question that nobody has answered ends with its attempt, and more than 20 are refused", async () => {
    const puppet = new Puppet();
    const { engine, id, attempt } = await puppet.start(await world().open([puppet.kind], { attemptSecret }));
    const inside = engine.inside.open(actorOf(engine, serveInside(attempt)));
    for (let count = 1; count <= 20; count++) await inside.ask({ message: "Well?" }, `q${count}`, { ms: 0 });
    await expect(inside.ask({ message: "Well?" }, "q21", { ms: 0 })).rejects.toMatchObject(refusal("conflict"));
    const left = inside.ask({ message: "Well?" }, "q1", { ms: 60_000 });
    attempt.succeed();
    await expect(left).rejects.toMatchObject(refusal("stopped"));
    expect(await statusOf(engine, id)).toBe("succeeded");
  });
});
