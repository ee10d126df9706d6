import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";
import { createDatabase, lacksPostgres, type Database } from "../../postgres/database.ts";
import { present } from "../../present.ts";
import { useEach } from "../../use-each.ts";
import { outcomes, World } from "../world.ts";
import { t0 } from "../drafts.ts";

interface Opened {
  readonly world: World;
  readonly database: Database;
}

describe.skipIf(lacksPostgres)("upkeep of a store on Postgres", () => {
  const opened = useEach(
    async (): Promise<Opened> => {
      const database = await createDatabase();
      const folder = await mkdtemp(join(tmpdir(), "longhaul-store-"));
      const store = await openPostgresStore({ url: database.url, folder });
      const cleanup = async (): Promise<void> => {
        await store.close();
        await database.remove();
        await rm(folder, { recursive: true, force: true });
      };
      return { database, world: new World({ store, reopen: async () => store, cleanup }) };
    },
    ({ world }) => world.cleanup(),
  );
  const tidy = async ({ world }: Opened): Promise<void> => {
    while (await world.store.tidy());
  };
  const countTickets = async ({ database }: Opened): Promise<unknown> =>
    (await database.run("SELECT count(*)::int AS n FROM longhaul_boss.job"))[0];

  it("gives a ticket to each job that may start and has none", async () => {
    const { world, database } = opened();
    const jobs = await world.submitMany(3);
    const pinned = await world.submit({ place: "gpu" });
    await database.run("DELETE FROM longhaul_boss.job");
    expect(await world.claim({ max: 9 })).toEqual([]);
    await tidy(opened());
    expect(await countTickets(opened())).toEqual({ n: 4 });
    expect(await world.claimIds({ max: 9 })).toEqual(jobs.map(({ id }) => id));
    expect(await world.claimIds({ max: 9, labels: ["gpu"] })).toEqual([pinned.id]);
  });

  it("takes the tickets of jobs that cannot start, or are gone", async () => {
    const { world, database } = opened();
    const [first, second] = await world.submitMany(2);
    await database.run("CREATE TABLE kept AS SELECT * FROM longhaul_boss.job");
    await world.store.cancel(present(first).id, { reason: "not needed", at: t0 });
    await world.store.cancel(present(second).id, { reason: "not needed", at: t0 });
    await world.store.remove(present(second).id, t0);
    expect(await countTickets(opened())).toEqual({ n: 0 });
    await database.run("INSERT INTO longhaul_boss.job SELECT * FROM kept");
    await tidy(opened());
    expect(await countTickets(opened())).toEqual({ n: 0 });
  });

  it("a claim drops the tickets of jobs that cannot start, and takes those behind them", async () => {
    const { world, database } = opened();
    const [first, second] = await world.submitMany(2);
    await database.run("CREATE TABLE kept AS SELECT * FROM longhaul_boss.job");
    await world.store.cancel(present(first).id, { reason: "not needed", at: t0 });
    await database.run("INSERT INTO longhaul_boss.job SELECT * FROM kept ON CONFLICT DO NOTHING");
    expect(await world.claimIds({ max: 1 })).toEqual([present(second).id]);
    expect(await countTickets(opened())).toEqual({ n: 0 });
  });

  it("lets a parked job go where there is room under its key", async () => {
    const { world, database } = opened();
    await world.store.limits("work", { perKey: 1 });
    const held = await world.start({ key: "a" });
    const waiting = await world.submit({ key: "a" });
    expect(await world.claim({ max: 9 })).toEqual([]);
    await world.store.limits("work", { perKey: 2 });
    await database.run("UPDATE longhaul.states SET parked = true WHERE ready");
    await database.run("DELETE FROM longhaul_boss.job");
    await tidy(opened());
    expect(await world.claimIds({ max: 9 })).toEqual([waiting.id]);
    expect(await world.store.settle(held.lease, outcomes.succeeded, { now: t0 })).toBeDefined();
    expect(await countTickets(opened())).toEqual({ n: 0 });
  });
});
