import { describe, expect, it } from "vitest";
import type { Actor, Engine } from "../../src/index.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, untilStatus, useWorld } from "../engine/world.ts";
import { call } from "./call.ts";

const world = useWorld();

const later = { kind: "puppet", input: {}, delayMs: 3_600_000, batch: "b" };

interface Changed {
  readonly count: number;
  readonly jobs: { readonly id: string }[];
  readonly refused?: { readonly id: string; readonly code: string }[];
  readonly token?: string;
}

async function change(engine: Engine, verb: string, input: object, actor: Actor = {}): Promise<Changed> {
  return (await call(engine, verb, input, actor)) as Changed;
}

describe.each(["job_cancel", "job_retry", "job_delete"])("a dry run of %s", (verb) => {
  it("says how many jobs it would be done to, shows some, and changes nothing", async () => {
    const engine = await world().open([new Puppet().kind]);
    const jobs = await engine.submitMany(Array.from({ length: 30 }, () => later));
    if (verb !== "job_cancel") for (const { id } of jobs) await engine.cancel(id);
    const before = await engine.count();
    const input = { filter: { q: "batch:b" }, dry_run: true };
    expect(await call(engine, verb, input)).toMatchObject({
      count: 30,
      dry_run: true,
      token: expect.any(String) as string,
    });
    expect((await change(engine, verb, input)).jobs).toHaveLength(20);
    expect(await change(engine, verb, { ids: [jobs[0]?.id], dry_run: true })).toMatchObject({
      count: 1,
      dry_run: true,
    });
    expect(await engine.count()).toEqual(before);
  });

  it("has a token with which it is done only if the number is still the same", async () => {
    const engine = await world().open([new Puppet().kind]);
    const make = async (): Promise<void> => {
      const { id } = await engine.submit(later);
      if (verb !== "job_cancel") await engine.cancel(id);
    };
    await make();
    const filter = { batch: "b", kind: "puppet" };
    const { id } = (await engine.list()).jobs[0] ?? {};
    const { token } = await change(engine, verb, { filter, dry_run: true });
    await make();
    await expect(call(engine, verb, { filter, token })).rejects.toMatchObject({
      ...refusal("conflict", /matched 1 job at the dry run and matches 2 now, so nothing was done/),
      details: { count: 2 },
    });
    const other = verb === "job_cancel" ? "job_retry" : "job_cancel";
    await expect(call(engine, other, { filter, token })).rejects.toMatchObject(
      refusal("invalid_input", /^The token is not/),
    );
    await expect(call(engine, verb, { filter: { batch: "c" }, token })).rejects.toMatchObject(refusal("invalid_input"));
    await expect(call(engine, verb, { ids: [id], token })).rejects.toMatchObject(refusal("invalid_input"));
    const again = await change(engine, verb, { filter: { kind: ["puppet"], batch: "b" }, dry_run: true });
    expect(await change(engine, verb, { filter, token: again.token })).toMatchObject({ count: 2 });
  });
});

describe("an action on many jobs", () => {
  it("has an outcome for each: what is refused for one stops no other", async () => {
    const puppet = new Puppet();
    const { engine, id: good, attempt } = await puppet.start(await world().open([puppet.kind]));
    attempt.succeed();
    await untilStatus(engine, good, "succeeded");
    const cancelled = await engine.submit(later);
    await engine.cancel(cancelled.id);
    const answer = await change(engine, "job_retry", { ids: [good, cancelled.id] });
    expect(answer).toMatchObject({
      count: 1,
      jobs: [{ id: cancelled.id, state: "queued" }],
      refused_count: 1,
      refused: [{ id: good, code: "conflict" }],
    });
    await expect(call(engine, "job_retry", { ids: [good] })).rejects.toMatchObject(refusal("conflict"));
  });

  it("changes nothing when one of the ids is not there", async () => {
    const engine = await world().open([new Puppet().kind]);
    const { id } = await engine.submit(later);
    await expect(call(engine, "job_cancel", { ids: [id, "nobody"] })).rejects.toMatchObject(refusal("not_found"));
    expect((await engine.get(id)).state.status).toBe("queued");
  });
});
