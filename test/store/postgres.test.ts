import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { createDatabase, lacksPostgres, type Database } from "../postgres/database.ts";
import { describeStore } from "./contract.ts";
import type { OpenStore } from "./world.ts";

describe.skipIf(lacksPostgres)("with a Postgres", () => {
  let database: Database;
  beforeAll(async () => (database = await createDatabase()));
  afterAll(() => database.remove());

  const open: OpenStore = async (options = {}) => {
    const folder = await mkdtemp(join(tmpdir(), "longhaul-store-"));
    const openOne = (): ReturnType<typeof openPostgresStore> =>
      openPostgresStore({ url: database.url, folder, ...options });
    let store = await openOne();
    const others: (typeof store)[] = [];
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await openOne();
        return store;
      },
      openOther: async () => {
        const other = await openOne();
        others.push(other);
        return other;
      },
      cleanup: async () => {
        for (const each of [store, ...others]) await each.close();
        await database.empty();
        await rm(folder, { recursive: true, force: true });
      },
    };
  };
  describeStore("Postgres", open);
});
