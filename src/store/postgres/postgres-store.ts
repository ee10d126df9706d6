import type { OutputStore } from "../output-store.ts";
import type { JobFilter, Store } from "../store.ts";
import type { Connections } from "./database/connections.ts";
import { countJobs, sumUpChanges, writeCountChanges } from "./finding/counts.ts";
import { countMatching, listJobs } from "./finding/list.ts";
import { readVerbs } from "./finding/read-verbs.ts";
import { createRollupStore } from "./finding/rollups.ts";
import { indexNext } from "./finding/search.ts";
import { unseenVerbs } from "./finding/unseen.ts";
import { admitParked, neededQueues, sendTickets } from "./jobs/admission.ts";
import { changeVerbs } from "./jobs/change-verbs.ts";
import { Claims } from "./jobs/claim.ts";
import { createJobs, needsOfDrafts } from "./jobs/create.ts";
import { kindVerbs } from "./jobs/kind-verbs.ts";
import { leaseVerbs } from "./jobs/lease-verbs.ts";
import { purgeVerbs } from "./jobs/purge.ts";
import { Reconciliation } from "./jobs/reconcile.ts";
import type { Tickets } from "./jobs/tickets.ts";
import { deliveryVerbs } from "./deliveries/delivery-verbs.ts";
import { createMarkStore } from "./marks.ts";
import { memberVerbs } from "./members.ts";
import { createScheduleStore } from "./schedules/schedule-store.ts";
import { createTokenStore } from "./tokens.ts";
import { GroupWrites } from "./writing/group-writes.ts";
import type { Hints } from "./writing/hints.ts";

const indexedAtOnce = 500;

export interface PostgresParts {
  readonly connections: Connections;
  readonly tickets: Tickets;
  readonly hints: Hints;
  readonly output: OutputStore;
}

/** Letters are brought by who opens the store. */
type OwnVerbs = Omit<Store, "mail">;

/** The store on a database that any number of processes share. */
export function createJobVerbs({ connections, tickets, hints, output }: PostgresParts): OwnVerbs {
  const writes = new GroupWrites({
    connections,
    finish: (unit) => {
      admitParked(unit);
      writeCountChanges(unit);
    },
    prepare: (unit) => tickets.prepare(neededQueues(unit)),
    send: async (session, unit) => [...(await sendTickets(tickets, session, unit)), ...hints.send(session, unit.hints)],
    publish: hints.publish,
  });
  const { write } = writes;
  const claims = new Claims({ connections, writes, tickets });
  const reconciliation = new Reconciliation({ connections, write, tickets });
  const indexSome = (): Promise<boolean> => indexNext(connections, indexedAtOnce);
  const prepareFilter = async ({ text }: JobFilter): Promise<void> => {
    let isBehind = text !== undefined;
    while (isBehind) isBehind = await indexSome();
  };
  return {
    capabilities: { isExclusive: false },
    output,
    ...readVerbs(connections),
    ...unseenVerbs(connections),
    ...leaseVerbs(connections, write),
    ...changeVerbs(connections, write),
    ...kindVerbs({ connections, write, tickets, hints }),
    ...purgeVerbs({ connections, write, hints, output }),
    rollups: createRollupStore(connections),
    ...memberVerbs(connections),
    ...deliveryVerbs({ connections, write, hints }),
    tokens: createTokenStore(connections),
    schedules: createScheduleStore(connections, write),
    marks: createMarkStore(connections),

    create: (drafts) => write((unit) => createJobs(unit, drafts), needsOfDrafts(drafts)),
    claim: (request) => claims.claim(request),
    list: async (filter, page) => {
      await prepareFilter(filter);
      return listJobs(connections, filter, page);
    },
    count: (filter) => countJobs(connections, filter),
    countMatching: async (filter, page) => {
      await prepareFilter(filter);
      return countMatching(connections, filter, page);
    },
    tidy: async () => {
      const more = await Promise.all([indexSome(), sumUpChanges(connections), reconciliation.step()]);
      return more.includes(true);
    },
    probe: async () => {
      await connections.query("UPDATE longhaul.meta SET version = version", []);
    },
    subscribe: hints.subscribe,
    close: async () => {
      await writes.close();
      await Promise.all([tickets.close(), hints.close()]);
      await connections.close();
    },
  };
}
