import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { describeStore } from "./contract.ts";

/** In memory where there is such a folder: several hundred stores are made, and none of these tests cuts the power. */
const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

describeStore("SQLite", async (options = {}) => {
  const folder = await mkdtemp(join(base, "longhaul-store-"));
  const file = join(folder, "longhaul.db");
  let store = await openSqliteStore({ file, ...options });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openSqliteStore({ file, ...options });
      return store;
    },
    cleanup: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
