import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { createDatabase, lacksPostgres, type Database } from "../postgres/database.ts";
import { describeArtifacts } from "./contract/artifacts.ts";
import { describeCancelling } from "./contract/cancelling.ts";
import { describeClaiming } from "./contract/claiming.ts";
import { describeCreating } from "./contract/creating.ts";
import { describeEvents } from "./contract/events.ts";
import { describeFinality } from "./contract/finality.ts";
import { describeFinding } from "./contract/finding.ts";
import { describeHints } from "./contract/hints.ts";
import { describeLeases } from "./contract/leases.ts";
import { describeLimits } from "./contract/limits.ts";
import { describeMail } from "./contract/mail.ts";
import { describeOutput } from "./contract/output.ts";
import { describePlacing } from "./contract/placing.ts";
import { describePurging } from "./contract/purging.ts";
import { describeQuestions } from "./contract/questions.ts";
import { describeRetrying } from "./contract/retrying.ts";
import { describeSearching } from "./contract/searching.ts";
import { describeSettling } from "./contract/settling.ts";
import { describeCounting } from "./contract/counting.ts";
import { describeRollups } from "./contract/rollups.ts";
import { describeUnseen } from "./contract/unseen.ts";
import type { OpenStore } from "./world.ts";

describe.skipIf(lacksPostgres)("a store on Postgres", () => {
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
  describeCreating(open);
  describeFinding(open);
  describeCounting(open);
  describeRollups(open);
  describeSearching(open);
  describeEvents(open);
  describeClaiming(open);
  describeLimits(open);
  describePlacing(open);
  describeLeases(open);
  describeSettling(open);
  describeQuestions(open);
  describeCancelling(open);
  describeRetrying(open);
  describeFinality(open);
  describeUnseen(open);
  describePurging(open);
  describeHints(open);
  describeOutput(open);
  describeArtifacts(open);
  describeMail(open);
});
