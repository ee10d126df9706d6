import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/index.ts";
import type { Outcome } from "../../../src/job/transitions.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import type { LostLease, Store } from "../../../src/store/store.ts";
import { present } from "../../present.ts";
import { until } from "../../until.ts";
import { isRunning, useShell } from "./world.ts";

const world = useShell();

const lost = { code: "lost", message: "Its machine was not heard from.", retryable: true };
const inAnHour = (): number => Date.now() + 3_600_000;

function leaseOf({ id, state }: Job): LostLease {
  if (!("lease" in state)) throw new Error(`job ${id} is ${state.status}`);
  return { id, worker: state.lease.worker, fence: state.lease.fence, before: Infinity };
}

/** What another machine does with a job while this one is away. */
async function giveUp(id: string, outcome: Outcome): Promise<void> {
  const store: Store = await openSqliteStore({ file: join(world().home, "longhaul.db") });
  const [job] = await store.lost({ before: Infinity, kinds: ["shell"], limit: 1 });
  expect(job?.id).toBe(id);
  await store.abandon(leaseOf(present(job)), outcome, Date.now());
  await store.close();
}

describe("a command on a machine that shares its store with others", () => {
  it("is taken over by the next engine of its machine", async () => {
    await world().open({ isShared: true });
    const { id } = await world().submit("sleep 1000");
    const pid = await world().pid(id);
    await world().reopen();
    expect(await world().pid(id)).toBe(pid);
    expect((await world().engine.get(id)).state).toMatchObject({ status: "running", attempt: 1 });
  });

  it("is ended by the next engine of its machine if it was given up meanwhile, and another attempt may run", async () => {
    await world().open({ isShared: true });
    const { id } = await world().submit("sleep 1000", { limits: { attempts: 2 } });
    const pid = await world().pid(id);
    await world().close();
    await giveUp(id, { type: "retry", failure: lost, runAt: inAnHour() });
    expect(isRunning(pid)).toBe(true);
    await world().open({ isShared: true });
    await until(() => !isRunning(pid));
    expect((await world().engine.get(id)).state).toMatchObject({ status: "queued", attempt: 2 });
  });

  it("is ended by the next engine of its machine if its job has ended meanwhile", async () => {
    await world().open({ isShared: true });
    const { id } = await world().submit("sleep 1000");
    const pid = await world().pid(id);
    await world().close();
    await giveUp(id, { type: "failed", failure: lost });
    expect(isRunning(pid)).toBe(true);
    await world().open({ isShared: true });
    await until(() => !isRunning(pid));
  });

  it("keeps what it has left running on purpose when it ended", async () => {
    await world().open({ isShared: true });
    const job = { command: `sleep 1000 >/dev/null & echo $! > left`, finish_with_main: true };
    const { state } = await world().run(job);
    expect(state.status).toBe("succeeded");
    const left = Number(readFileSync(world().path("left"), "utf8"));
    await world().reopen();
    // The engine claims only when it has looked through what was left, so the next job comes after that.
    await world().run("true");
    expect(isRunning(left)).toBe(true);
  });

  it("is ended when its engine hears that its job was given up", async () => {
    await world().open({ isShared: true, engine: { leaseMs: 900 } });
    const { id } = await world().submit("sleep 1000", { limits: { attempts: 2 } });
    const pid = await world().pid(id);
    const outcome: Outcome = { type: "retry", failure: lost, runAt: inAnHour() };
    await present(world().store).abandon(leaseOf(await world().engine.get(id)), outcome, Date.now());
    await until(() => !isRunning(pid));
    expect((await world().engine.get(id)).state).toMatchObject({ status: "queued", attempt: 2 });
  });

  it("is lost, and not run again, where another machine was about to start it and nobody knows whether it did", async () => {
    const inside = (): string => join(world().home, "output", id, "1", "work");
    await world().open({ isShared: true, engine: { machine: "m1" } });
    const { id } = await world().submit("echo started >> marker; sleep 1000");
    const pid = await world().pid(id);
    await until(() => existsSync(world().path("marker")));
    await world().close();
    process.kill(pid, "SIGKILL");
    await giveUp(id, { type: "interrupted", cause: "test", isLoss: true });
    // As if nothing had been started, as far as this machine can tell.
    rmSync(join(inside(), "process"));
    writeFileSync(join(inside(), "process.unstarted"), "");
    await world().open({ isShared: true, engine: { machine: "m2" } });
    const { state } = await world().end(id);
    expect(state).toMatchObject({ status: "failed", attempt: 1, failure: { code: "lost" } });
    expect(readFileSync(world().path("marker"), "utf8")).toBe("started\n");
  });
});
