import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { Actor } from "../../src/engine/access.ts";
import type { Engine } from "../../src/index.ts";
import { jobSubmit } from "../../src/operations/submit.ts";
import type { JobView } from "../../src/operations/job-view.ts";
import { Puppet } from "../engine/puppet.ts";
import { refusal, useWorld } from "../engine/world.ts";
import { server } from "./call.ts";

const world = useWorld();

async function submit(
  engine: Engine,
  jobs: z.input<typeof jobSubmit.input>["jobs"],
  actor: Actor = {},
): Promise<(JobView & { is_known?: boolean })[]> {
  return (await jobSubmit.call({ engine, actor, server }, { jobs })).jobs;
}

describe("job_submit", () => {
  it("takes what every start takes, for its caller", async () => {
    const engine = await world().open([new Puppet().kind]);
    const fields = {
      name: "n",
      tags: ["t"],
      batch: "b",
      priority: 2,
      timeout_ms: 5_000,
      idle_timeout_ms: 4_000,
      attempts: 3,
    };
    const [view] = await submit(engine, [{ kind: "puppet", ...fields, delay_ms: 60_000 }], {
      owner: "ada",
      by: "ada (test)",
    });
    const job = await engine.get(view?.id ?? "");
    expect(job).toMatchObject({ owner: "ada", name: "n", tags: ["t"], batch: "b", priority: 2 });
    expect(job.limits).toMatchObject({ runMs: 5_000, idleMs: 4_000, attempts: 3 });
    expect(view?.run_at).toBeDefined();
    expect(await engine.events(job.id)).toMatchObject([{ by: "ada (test)" }]);
  });

  it("finds what a job runs after by ref, by id, by the end of an id and by name, but no job of another owner", async () => {
    const engine = await world().open([new Puppet().kind]);
    const [early] = await submit(engine, [{ kind: "puppet", name: "early" }], { owner: "ada" });
    const id = early?.id ?? "";
    const asked = [
      { kind: "puppet", after: ["later", id] },
      { kind: "puppet", ref: "later", after: ["early"] },
      { kind: "puppet", after: [id.slice(-8)] },
    ];
    const [first, second, third] = await submit(engine, asked, { owner: "ada" });
    const dependsOn = async (view: JobView | undefined): Promise<readonly string[]> =>
      (await engine.get(view?.id ?? "")).dependsOn;
    expect(await dependsOn(first)).toEqual([second?.id, id]);
    expect(await dependsOn(second)).toEqual([id]);
    expect(await dependsOn(third)).toEqual([id]);
    await expect(submit(engine, [{ kind: "puppet", after: [id] }], { owner: "bob" })).rejects.toMatchObject(
      refusal("not_found"),
    );
  });

  it("tells which jobs were there before", async () => {
    const engine = await world().open([new Puppet().kind]);
    const [first] = await submit(engine, [{ kind: "puppet", idempotency_key: "k" }]);
    const again = await submit(engine, [{ kind: "puppet" }, { kind: "puppet", idempotency_key: "k" }]);
    expect(again.map(({ is_known: isKnown }) => isKnown)).toEqual([undefined, true]);
    expect(again[1]?.id).toBe(first?.id);
  });

  it("starts only the kinds that its caller may start", async () => {
    const engine = await world().open([new Puppet().kind]);
    const actor = { kinds: ["shell"] };
    await expect(submit(engine, [{ kind: "puppet" }], actor)).rejects.toMatchObject(refusal("not_allowed"));
    expect(await engine.count()).toEqual([]);
  });
});
