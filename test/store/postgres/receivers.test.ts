import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";
import type { DeliveryClaim } from "../../../src/store/delivery.ts";
import type { Claim, Store } from "../../../src/store/store.ts";
import { createDatabase, lacksPostgres, type Database } from "../../postgres/database.ts";
import { present } from "../../present.ts";
import { until } from "../../until.ts";
import { useEach } from "../../use-each.ts";
import { second, t0 } from "../drafts.ts";
import { World } from "../world.ts";

const url = "https://a.example/";

interface Scene {
  readonly world: World;
  readonly database: Database;
  /** Somebody else's transaction, of which each statement is sent when the test says so. */
  readonly other: Client;
  readonly claim: Claim;
  readonly delivery: DeliveryClaim;
}

describe.skipIf(lacksPostgres)("a receiver that ends while somebody records what it is to be told", () => {
  let database: Database;
  let folder: string;
  beforeAll(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), "longhaul-store-"));
  });
  afterAll(async () => {
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** A job that waits for an answer, whose receiver is being told so. */
  const scene = useEach(
    async (): Promise<Scene> => {
      const store: Store = await openPostgresStore({ url: database.url, folder });
      const world = new World({ store, reopen: async () => store, cleanup: () => store.close() });
      const other = new Client({ connectionString: database.url });
      await other.connect();
      const claim = await world.start({ webhook: { url, on: ["end", "question"] }, kept: { url } });
      await ask(world, claim, "first");
      const { claims } = await store.claimDeliveries({ now: t0, leaseMs: second, max: 1, perHost: 1 });
      return { world, database, other, claim, delivery: present(claims[0]) };
    },
    async ({ world, other }) => {
      await other.end();
      await world.cleanup();
      await database.empty();
    },
  );

  const end = (): Promise<boolean> =>
    scene().world.store.settleDelivery(scene().delivery, { state: "gone", at: t0, status: 410 });
  const states = async (): Promise<string[]> => {
    const { deliveries } = await scene().world.store.listDeliveries({}, { limit: 9 });
    return deliveries.map(({ state }) => state);
  };

  it("is told nothing of what is recorded after its end", async () => {
    const { world, other, claim } = scene();
    await other.query("BEGIN");
    await other.query("UPDATE longhaul.receivers SET is_gone = true");
    const asking = ask(world, claim, "second");
    await untilSomebodyWaits(database);
    await other.query("UPDATE longhaul.deliveries SET state = 'gone', is_claimed = false, next_at = NULL");
    await other.query("COMMIT");
    await asking;
    expect(await states()).toEqual(["gone"]);
  });

  it("is told nothing of what was being recorded before its end", async () => {
    const { other } = scene();
    await other.query("BEGIN");
    await other.query(`INSERT INTO longhaul.deliveries (job, seq, target, type, host, job_state, state, next_at, created_at)
      SELECT job, 99, target, 'job.question', host, '{}', 'pending', ${t0}, ${t0} FROM longhaul.receivers FOR SHARE`);
    const ending = end();
    await untilSomebodyWaits(database);
    await other.query("COMMIT");
    expect(await ending).toBe(true);
    expect(await states()).toEqual(["gone", "gone"]);
  });
});

function ask({ store }: World, { lease }: Claim, key: string): Promise<unknown> {
  return store.ask(lease, { key, question: { message: "Which?" }, at: t0 });
}

async function untilSomebodyWaits(database: Database): Promise<void> {
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await until(async () => (await database.run(waiting)).length > 0);
}
