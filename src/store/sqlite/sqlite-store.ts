import { LonghaulError } from "../../job/error.ts";
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
import { JobCache } from "./job-cache.ts";
import { leaseVerbs } from "./lease-verbs.ts";
import { listJobs } from "./list.ts";
import { findLeftOutput, forgetOutput, purgeJobs } from "./purge.ts";
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
  let isClosed = false;
  const prepared = cacheStatements(connection);
  const sql: Database["sql"] = (text) => {
    if (isClosed) throw new LonghaulError("stopped", "The store is closed.");
    return prepared(text);
  };
  const db: Database = {
    sql,
    hint: (hint) => hints.push(hint),
    turns: new Turns(),
    delays: new Delays(),
    jobs: new JobCache(),
    needed: loadNumbers(prepared, "SELECT DISTINCT needs AS num FROM dependencies"),
    checkpointed: loadNumbers(prepared, "SELECT job AS num FROM checkpoints"),
  };
  const publish = (hint: Hint): void => {
    for (const listener of listeners) listener(hint);
  };
  const commits = new GroupCommit(connection, {
    onCommit: () => {
      const committed = hints;
      hints = [];
      committed.forEach(publish);
    },
    savepoint: () => {
      const before = hints.length;
      return () => {
        hints = hints.slice(0, before);
        db.jobs.clear();
        db.delays.forget();
      };
    },
  });
  const output = createOutput((id) => publish({ type: "output-grown", id }));
  const write: Write = (run) => {
    if (isClosed) return Promise.reject(new LonghaulError("stopped", "The store is closed."));
    return commits.write(run);
  };

  /** On a full disk a search finds what is indexed so far. */
  const indexAll = async (): Promise<void> => {
    try {
      while (await write(() => indexNext(db, indexedAtOnce)));
    } catch (error) {
      if (!(error instanceof LonghaulError) || error.code !== "storage_full") throw error;
    }
  };

  return {
    capabilities: { isExclusive: true },
    output,
    ...readVerbs(db),
    ...leaseVerbs(db, write),
    ...changeVerbs(db, write),

    create: (drafts) => write(() => createJobs(db, drafts)),
    list: async (filter, page) => {
      if (filter.text !== undefined) await indexAll();
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
      const purged = await write(() => purgeJobs(db, now, limit));
      // Files after rows, because a retry may still save a job from its purge; a crash in between is made up for next time.
      const left = findLeftOutput(db, limit);
      await Promise.all(left.map((id) => output.remove(id)));
      if (left.length > 0) await write(() => forgetOutput(db, left));
      return purged;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      if (isClosed) return;
      commits.flush();
      isClosed = true;
      db.jobs.clear();
      listeners.clear();
      leave(connection, onClose);
    },
  };
}

/** Out of WAL mode the connection holds no lock, even where the driver does not really close it (see open.ts). */
function leave(connection: Connection, onClose: () => void): void {
  try {
    connection.exec("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM jobs LIMIT 1;");
  } catch {
    // A full disk: the file stays in WAL mode, where nothing is lost either.
  } finally {
    connection.close();
    onClose();
  }
}

function loadNumbers(sql: Database["sql"], select: string): Set<number> {
  return new Set((sql(select).all() as { num: number }[]).map(({ num }) => num));
}
