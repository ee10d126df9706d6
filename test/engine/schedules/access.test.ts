import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineKind, type Actor, type Engine, type Schedule, type ScheduleRequest } from "../../../src/index.ts";
import { Puppet } from "../puppet.ts";
import { refusal, useWorld } from "../world.ts";

const world = useWorld();

/** Starts jobs of another kind in its turn. */
const boss = defineKind({
  name: "boss",
  onInterrupt: "restart",
  input: z.object({}),
  starts: () => ["puppet"],
  run: async () => null,
});
const confining = defineKind({
  name: "confining",
  onInterrupt: "restart",
  confines: true,
  input: z.object({}),
  keeps: ["env"],
  run: async (_input, { client, isConfined }) => ({ client: client ?? null, isConfined }),
});

function open(): Promise<Engine> {
  return world().openTimed([new Puppet().kind, boss, confining]);
}

function add(engine: Engine, actor: Actor, more: Partial<ScheduleRequest> = {}): Promise<Schedule> {
  return engine.schedules.add({ name: "often", everyMs: 10_000, job: { kind: "puppet", input: {} }, ...more }, actor);
}

const ada: Actor = { owner: "ada", scope: "run", by: "ada (http)" };

describe("a schedule", () => {
  it("is its maker's, and so are its jobs", async () => {
    const engine = await open();
    await add(engine, ada, { job: { kind: "puppet", input: {}, owner: "bob" } });
    await add(engine, { ...ada, owner: "bob" });
    await world().clock.advance(10_000);
    expect((await engine.list({ owner: "ada" })).jobs).toMatchObject([{ owner: "ada", isConfined: true }]);
    expect(await engine.schedules.list({ owner: "ada" })).toMatchObject([{ owner: "ada" }]);
    await expect(engine.schedules.get("often", { owner: "eve" })).rejects.toMatchObject(refusal("not_found"));
    await expect(engine.schedules.get("often")).rejects.toMatchObject(refusal("conflict", /give an id/));
  });

  it("can be made only of what its maker may start, that which its jobs start in their turn included", async () => {
    const engine = await open();
    const kinds = ["boss"];
    for (const kind of ["puppet", "boss"]) {
      await expect(add(engine, { ...ada, kinds }, { job: { kind, input: {} } })).rejects.toMatchObject(
        refusal("not_allowed"),
      );
    }
    await expect(add(engine, { ...ada, scope: "read" })).rejects.toMatchObject(refusal("not_allowed"));
    await expect(add(engine, { ...ada, barredKinds: ["puppet"] })).rejects.toMatchObject(refusal("not_allowed"));
    expect(await engine.schedules.list()).toEqual([]);
  });

  it("is paused when the token that it was made with is revoked, until somebody who may resumes it", async () => {
    const engine = await open();
    const { token } = await engine.tokens.create({ name: "ci", owner: "ada" });
    await add(engine, { ...ada, token: token.id });
    await engine.tokens.revoke("ci");
    await world().clock.advance(10_000);
    const reason = 'The token "ci" that it was made with was revoked.';
    expect(await engine.schedules.get("often")).toMatchObject({ pause: { reason }, counts: { runs: 0, refused: 1 } });
    expect(await engine.schedules.runs("often", 1)).toMatchObject([{ skip: "refused", reason }]);
    const { token: other } = await engine.tokens.create({ name: "other", owner: "ada" });
    await engine.schedules.resume("often", { ...ada, token: other.id });
    await world().clock.advance(10_000);
    expect(await engine.schedules.get("often")).toMatchObject({ bounds: { token: other.id }, counts: { runs: 1 } });
  });

  it("is paused when that token has expired", async () => {
    const engine = await open();
    const { token } = await engine.tokens.create({ name: "ci", owner: "ada", lifeMs: 15_000 });
    await add(engine, { ...ada, token: token.id }, { overlap: true });
    await world().clock.advance(20_000);
    expect(await engine.schedules.get("often")).toMatchObject({
      counts: { runs: 1, refused: 1 },
      pause: { reason: 'The token "ci" that it was made with has expired.' },
    });
  });

  it("of this machine's user can be seen, paused and deleted with a token for one owner, not run or resumed", async () => {
    const engine = await open();
    await add(engine, {}, { job: { kind: "confining", input: {} } });
    const local: Actor = { owner: "local", scope: "run" };
    for (const verb of ["run", "resume"] as const) {
      await expect(engine.schedules[verb]("often", local)).rejects.toMatchObject(
        refusal("not_allowed", /made by this machine's user/),
      );
    }
    await engine.schedules.pause("often", local);
    await engine.schedules.remove("often", local);
    expect(await engine.schedules.list()).toEqual([]);
  });

  it("keeps what its jobs need of the client that made it, also across a restart", async () => {
    const engine = await open();
    const client = { cwd: "/tmp", env: { COLOUR: "blue" }, keys: { SECRET: "s" } };
    await add(engine, { client }, { job: { kind: "confining", input: {} } });
    const next = await world().reopen();
    await world().clock.advance(10_000);
    const [job] = (await next.list({})).jobs;
    expect(await next.result(job?.id ?? "")).toEqual({ client: { env: { COLOUR: "blue" } }, isConfined: false });
    expect(JSON.stringify(await next.schedules.get("often"))).not.toContain("blue");
  });
});
