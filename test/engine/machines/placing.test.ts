import { z } from "zod";
import { describe, expect, it } from "vitest";
import { defineKind } from "../../../src/index.ts";
import { Puppet } from "../puppet.ts";
import { refusal, statusOf, untilStatus } from "../world.ts";
import { leaseMs, useCluster } from "./cluster.ts";

const cluster = useCluster();

describe("a pinned job", () => {
  it("runs on the machine that it names, or on one with that label, whoever submits it", async () => {
    const [here, there] = [new Puppet(), new Puppet()];
    const one = await cluster().join("m1", [here.kind]);
    await cluster().join("m2", [there.kind], { labels: ["gpu"] });
    const byName = await one.engine.submit({ kind: "puppet", input: {}, place: "m2" });
    expect((await there.next()).context).toMatchObject({ id: byName.id, machine: "m2" });
    const byLabel = await one.engine.submit({ kind: "puppet", input: {}, place: "gpu" });
    expect((await there.next()).context.id).toBe(byLabel.id);
    expect(here.attempts).toEqual([]);
  });

  it("says why it waits: nobody has its place, or those who have it are busy", async () => {
    const [here, there] = [new Puppet(), new Puppet({ concurrency: 1 })];
    const one = await cluster().join("m1", [here.kind]);
    const { id } = await one.engine.submit({ kind: "puppet", input: {}, place: "gpu" });
    expect(await one.engine.diagnose(id)).toEqual({
      reason: 'it may run on "gpu" alone, and no worker that runs jobs of kind "puppet" has this name or label',
      jobsAhead: 0,
    });
    const two = await cluster().join("m2", [there.kind], { labels: ["gpu"] });
    await there.next();
    const next = await one.engine.submit({ kind: "puppet", input: {}, place: "gpu" });
    await cluster().advance(leaseMs / 2, one, two);
    expect((await one.engine.diagnose(next.id))?.reason).toBe('1 of 1 slots for "puppet" are taken');
  });

  it("waits where no machine has slots for its kind, and says so", async () => {
    const puppet = new Puppet({ concurrency: 0 });
    const { engine } = await cluster().join("m1", [puppet.kind]);
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    expect((await engine.diagnose(id))?.reason).toBe('no worker runs jobs of kind "puppet"');
  });

  it("is refused if its place is no name or label", async () => {
    const { engine } = await cluster().join("m1", [new Puppet().kind]);
    await expect(engine.submit({ kind: "puppet", input: {}, place: "My Mac" })).rejects.toMatchObject(
      refusal("invalid_input", /place/),
    );
  });
});

describe("a job that is started by another one", () => {
  const parent = defineKind({
    name: "parent",
    onInterrupt: "resume",
    input: z.object({}),
    run: async (_input, context) => {
      const child = await context.spawn({ kind: "child", input: {}, key: "c" });
      await context.childEnd(child);
      return { on: context.machine };
    },
  });

  it("runs where its parent does if it works in a folder", async () => {
    const ranOn: string[] = [];
    const child = (concurrency: number): ReturnType<typeof defineKind> =>
      defineKind({
        name: "child",
        concurrency,
        onInterrupt: "resume",
        input: z.object({}),
        cwdOf: () => "/",
        run: async (_input, context) => void ranOn.push(context.machine),
      });
    const one = await cluster().join("m1", [{ ...parent, concurrency: 0 }, child(5)]);
    await cluster().join("m2", [parent, child(5)]);
    const { id } = await one.engine.submit({ kind: "parent", input: {} });
    await untilStatus(one.engine, id, "succeeded");
    expect(ranOn).toEqual(["m2"]);
    const { jobs } = await one.engine.list({ kind: "child" });
    expect(jobs.map(({ place }) => place)).toEqual(["m2"]);
  });

  it("runs anywhere if it needs no folder", async () => {
    const child = new Puppet({ name: "child" });
    const one = await cluster().join("m1", [{ ...parent, concurrency: 0 }, child.kind]);
    await cluster().join("m2", [parent, { ...child.kind, concurrency: 0 }]);
    const { id } = await one.engine.submit({ kind: "parent", input: {}, place: "m2" });
    const attempt = await child.next();
    expect(attempt.context.machine).toBe("m1");
    attempt.succeed();
    await untilStatus(one.engine, id, "succeeded");
  });
});

describe("the machines of a store", () => {
  it("are told with what they run, until they leave or are not heard any more", async () => {
    const [here, there] = [new Puppet({ concurrency: 3 }), new Puppet({ concurrency: 0 })];
    const one = await cluster().join("m1", [here.kind], { role: "worker", labels: ["gpu"], version: "1.2.3" });
    const two = await cluster().join("m2", [there.kind], { address: () => "http://127.0.0.1:1" });
    const { id } = await here.start(two.engine);
    await cluster().advance(leaseMs / 2, one, two);
    expect(await two.engine.machines()).toMatchObject([
      {
        machine: "m1",
        role: "worker",
        labels: ["gpu"],
        version: "1.2.3",
        kinds: [{ name: "puppet", slots: 3, running: 1 }],
      },
      { machine: "m2", role: "server", labels: [], address: "http://127.0.0.1:1", kinds: [{ slots: 0, running: 0 }] },
    ]);
    one.setCut(true);
    await cluster().advance(4 * leaseMs, two);
    expect((await two.engine.machines()).map(({ machine }) => machine)).toEqual(["m2"]);
    expect(await statusOf(two.engine, id)).toBe("queued");
  });
});
