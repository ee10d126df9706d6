import { LonghaulError } from "../../job/error.ts";
import type { Hint } from "../store.ts";
import { ClockWatch } from "../rules/clock-watch.ts";
import type { DatabaseFiles } from "./database-files.ts";
import type { Database, Write } from "./database.ts";
import { Delays } from "./delays.ts";
import { CountChanges } from "./counts.ts";
import { cacheStatements, type Connection } from "./driver.ts";
import { GroupCommit } from "./group-commit.ts";
import { JobCache } from "./job-cache.ts";
import { Starts } from "./starts.ts";
import { Turns } from "./turns.ts";

/** A database in use: its statements, what is kept in memory of it, and the hints that go out with each commit. */
export interface LiveDatabase {
  readonly db: Database;
  readonly write: Write;
  /** As `write`, but after all other writes of the turn, so that it sees them. */
  readonly writeLast: Write;
  readonly publish: (hint: Hint) => void;
  readonly subscribe: (listener: (hint: Hint) => void) => () => void;
  /** Commits what is on its way and leaves the file; afterwards every use is refused. */
  readonly close: () => void;
}

export function createLiveDatabase(connection: Connection, files: DatabaseFiles): LiveDatabase {
  const listeners = new Set<(hint: Hint) => void>();
  const prepared = cacheStatements(connection);
  let hints: Hint[] = [];
  let isClosed = false;
  const refuseIfClosed = (): void => {
    if (isClosed) throw new LonghaulError("stopped", "The store is closed.");
  };
  const db: Database = {
    sql: (text) => {
      refuseIfClosed();
      return prepared(text);
    },
    hint: (hint) => hints.push(hint),
    turns: new Turns(),
    delays: new Delays(),
    starts: new Starts(),
    jobClock: new ClockWatch(),
    deliveryClock: new ClockWatch(),
    jobs: new JobCache(),
    places: loadPlaces(prepared),
    needed: loadNumbers(prepared, "SELECT DISTINCT needs AS num FROM dependencies"),
    checkpointed: loadNumbers(prepared, "SELECT job AS num FROM checkpoints"),
    counts: new CountChanges(prepared),
  };
  const publish = (hint: Hint): void => listeners.forEach((listener) => listener(hint));
  const commits = new GroupCommit(connection, {
    ensureDurable: () => files.ensureInPlace(),
    beforeCommit: () => db.counts.write(prepared),
    onCommit: () => {
      const committed = hints;
      hints = [];
      committed.forEach(publish);
    },
    savepoint: () => {
      const before = hints.length;
      const restoreCounts = db.counts.save();
      const forgetStarts = db.starts.savepoint();
      return () => {
        forgetStarts();
        hints = hints.slice(0, before);
        restoreCounts();
        db.jobs.clear();
        db.delays.forget();
        db.jobClock.forget();
        db.deliveryClock.forget();
      };
    },
  });
  return {
    db,
    publish,
    write: async (run) => {
      refuseIfClosed();
      return commits.write(run);
    },
    writeLast: async (run) => {
      refuseIfClosed();
      return commits.writeLast(run);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      if (isClosed) return;
      commits.flush();
      isClosed = true;
      db.jobs.clear();
      listeners.clear();
      leave(connection, files);
    },
  };
}

/** Out of WAL mode the connection holds no lock, even where the driver does not really close it (see open.ts). */
function leave(connection: Connection, files: DatabaseFiles): void {
  try {
    // A log beside another database is not ours to delete.
    if (!files.isDatabaseInPlace) return;
    connection.exec("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM jobs LIMIT 1;");
  } catch {
    // A full disk: the file stays in WAL mode, where nothing is lost either.
  } finally {
    connection.close();
  }
}

function loadPlaces(sql: Database["sql"]): Set<string> {
  const rows = sql("SELECT DISTINCT place FROM jobs WHERE place IS NOT NULL").all() as { place: string }[];
  return new Set(rows.map(({ place }) => place));
}

function loadNumbers(sql: Database["sql"], select: string): Set<number> {
  return new Set((sql(select).all() as { num: number }[]).map(({ num }) => num));
}
