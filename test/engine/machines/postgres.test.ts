import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createEngine } from "../../../src/engine/engine.ts";
import { systemClock } from "../../../src/engine/clock.ts";
import type { Engine, Kind } from "../../../src/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";
import { createDatabase, lacksPostgres, type Database } from "../../postgres/database.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { until } from "../../until.ts";
import { Puppet } from "../puppet.ts";
import { untilStatus } from "../world.ts";

describe.skipIf(lacksPostgres)("machines on Postgres", () => {
  const leaseMs = 1_500;
  let database: Database;
  beforeAll(async () => (database = await createDatabase()));
  afterAll(() => database.remove());

  async function joinStore(machine: string, kinds: readonly Kind[], clockOffMs: number): Promise<Engine> {
    const store = await openPostgresStore({ url: database.url, folder: join(makeTempFolder(), machine) });
    const clock = { ...systemClock, now: () => Date.now() + clockOffMs };
    const engine = await createEngine({ store, kinds, machine, labels: [`${machine}-label`], clock, leaseMs });
    onTestFinished(() => engine.stop());
    return engine;
  }

  it("run what is pinned to them, keep to one clock, and tell of each other", async () => {
    const [here, there] = [new Puppet(), new Puppet()];
    const one = await joinStore("m1", [here.kind], -5_000);
    const two = await joinStore("m2", [there.kind], 5_000);
    const { id, createdAt } = await one.submit({ kind: "puppet", input: {}, place: "m2-label" });
    const attempt = await there.next();
    expect(attempt.context).toMatchObject({ id, machine: "m2" });
    const other = await two.submit({ kind: "puppet", input: {}, place: "m1" });
    expect(Math.abs(other.createdAt - createdAt)).toBeLessThan(4_000);
    (await here.next()).succeed();
    await untilStatus(two, other.id, "succeeded");
    await until(async () =>
      (await one.machines()).some(({ machine, kinds }) => machine === "m2" && kinds[0]?.running === 1),
    );
    attempt.succeed();
    await untilStatus(one, id, "succeeded");
    expect(here.attempts.length + there.attempts.length).toBe(2);
  });
});
