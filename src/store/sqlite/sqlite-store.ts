import type { JobId } from "../../job/id.ts";
import type { OutputStore } from "../output-store.ts";
import type { Hint, Store } from "../store.ts";
import { changeVerbs } from "./change-verbs.ts";
import { claimJobs } from "./claim.ts";
import { createJobs } from "./create.ts";
import type { Database, Write } from "./database.ts";
import { Delays } from "./delays.ts";
import { cacheStatements, type Connection } from "./driver.ts";
import { GroupCommit } from "./group-commit.ts";
import { leaseVerbs } from "./lease-verbs.ts";
import { listJobs } from "./list.ts";
import { findExpired, purgeJobs } from "./purge.ts";
import { readVerbs } from "./read-verbs.ts";
import { indexNext } from "./search.ts";
import { Turns } from "./turns.ts";

const indexedAtOnce = 500;

export interface SqliteParts {
  readonly connection: Connection;
  readonly createOutput: (onGrown: (id: JobId) => void) => OutputStore;
  readonly onClose: () => void;
}

/** The store on one SQLite file. Reads are answered at once; writes of one turn of the event loop share a commit. */
export function createSqliteStore({ connection, createOutput, onClose }: SqliteParts): Store {
  const listeners = new Set<(hint: Hint) => void>();
  let hints: Hint[] = [];
  const sql = cacheStatements(connection);
  const db: Database = {
    sql,
    hint: (hint) => hints.push(hint),
    turns: Turns.load({ sql }),
    delays: new Delays(),
    held: new Map(),
  };
  const publish = (hint: Hint): void => {
    for (const listener of listeners) listener(hint);
  };
  const commits = new GroupCommit(connection, {
    onCommit: (): void => {
      const committed = hints;
      hints = [];
      committed.forEach(publish);
    },
    onRollback: (): void => {
      hints = [];
      db.held.clear();
    },
  });
  const output = createOutput((id) => publish({ type: "output-grown", id }));
  const write: Write = (run) => commits.write(run);

  return {
    capabilities: { isExclusive: true },
    output,
    ...readVerbs(db),
    ...leaseVerbs(db, write),
    ...changeVerbs(db, write),

    create: (drafts) => write(() => createJobs(db, drafts)),
    list: async (filter, page) => {
      if (filter.text !== undefined) while (await write(() => indexNext(db, indexedAtOnce)));
      return listJobs(db, filter, page);
    },
    tidy: () => write(() => indexNext(db, indexedAtOnce)),
    claim: (request) => commits.writeLast(() => claimJobs(db, request)),
    setPaused: (kind, isPaused) =>
      write(() => {
        const text = isPaused
          ? "INSERT OR IGNORE INTO paused_kinds (kind) VALUES (?)"
          : "DELETE FROM paused_kinds WHERE kind = ?";
        sql(text).run(kind);
        db.hint({ type: "job-ready" });
      }),
    purge: async (now, limit) => {
      const ids = findExpired(db, now, limit);
      // Files first: a crash between the two leaves a job without output that the next purge removes, never a stray file.
      await Promise.all(ids.map((id) => output.remove(id)));
      return write(() => purgeJobs(db, ids, now));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      commits.flush();
      listeners.clear();
      // Out of WAL mode the connection holds no lock, even where the driver does not really close it (see open.ts).
      connection.exec("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM jobs LIMIT 1;");
      connection.close();
      onClose();
    },
  };
}
