import { expect, it } from "vitest";
import { Puppet } from "./puppet.ts";
import { turns } from "./fake-clock.ts";
import { statusOf, useWorld } from "./world.ts";

const world = useWorld();

it("an engine that drains claims no more jobs, and lets those that run come to their end", async () => {
  const puppet = new Puppet();
  const engine = await world().open([puppet.kind]);
  const { id, attempt } = await puppet.start(engine);
  const draining = engine.drain(600_000);
  // A claim that was on its way when it began to drain is still answered.
  await turns();
  const later = await engine.submit({ kind: "puppet", input: {} });
  attempt.succeed({});
  await draining;
  expect([await statusOf(engine, id), await statusOf(engine, later.id)]).toEqual(["succeeded", "queued"]);
});

it("an engine that drains waits neither for what goes on without it, nor for jobs that wait for an answer", async () => {
  const adopted = new Puppet({ name: "adopted", onInterrupt: "adopt" });
  const asking = new Puppet({ name: "asking" });
  const engine = await world().open([adopted.kind, asking.kind]);
  const running = await adopted.start(engine);
  const { id, attempt } = await asking.start(engine);
  const answer = attempt.context.ask({ message: "Go on?" }, "q");
  answer.catch(() => undefined);
  await expect.poll(() => statusOf(engine, id)).toBe("waiting");
  await engine.drain(600_000);
  expect(await statusOf(engine, running.id)).toBe("running");
});

it("an engine that drains waits no longer than it is told, and what is left goes on with the next one", async () => {
  const puppet = new Puppet();
  const engine = await world().open([puppet.kind]);
  const { id } = await puppet.start(engine);
  await engine.drain(10);
  expect(await statusOf(engine, id)).toBe("running");
  const next = await world().reopen();
  (await puppet.next()).succeed({});
  expect(await next.wait(id)).toMatchObject({ jobs: [{ state: { status: "succeeded" } }] });
});
