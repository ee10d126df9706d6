import { open, rm } from "node:fs/promises";
import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { OutputStore } from "../output-store.ts";
import type { JobFilter, Store } from "../store.ts";
import { changeVerbs } from "./change-methods.ts";
import { claimJobs } from "./claim.ts";
import { createJobs } from "./create.ts";
import { deliveryVerbs } from "./delivery-methods.ts";
import { DatabaseFiles } from "./database-files.ts";
import type { Connection } from "./driver.ts";
import { leaseVerbs } from "./lease-methods.ts";
import { countJobs } from "./counts.ts";
import { countMatching, listJobs } from "./list.ts";
import { memberVerbs } from "./members.ts";
import { createMailStore } from "./mail.ts";
import { createLiveDatabase } from "./live-database.ts";
import { createMarkStore } from "./marks.ts";
import { findLeftOutput, forgetOutput, purgeJobs, removeJob } from "./purge.ts";
import { readVerbs } from "./read-methods.ts";
import { createRollupStore } from "./rollups.ts";
import { createScheduleStore } from "./schedules.ts";
import { indexNext } from "./search.ts";
import { createTokenStore } from "./tokens.ts";
import { isFull } from "./storage-error.ts";
import { unseenVerbs } from "./unseen.ts";

const indexedAtOnce = 500;
const countedAtOnce = 5_000;

interface SqliteParts {
  readonly connection: Connection;
  readonly file: string;
  readonly createOutput: (onGrown: (id: JobId) => void) => OutputStore;
  readonly onClose: () => void;
}

/** The store on one SQLite file. Reads are answered at once; writes of one turn of the event loop share a commit. */
export function createSqliteStore({ connection, file, createOutput, onClose }: SqliteParts): Store {
  const { db, write, writeLast, publish, subscribe, close } = createLiveDatabase(
    connection,
    new DatabaseFiles(file, connection),
  );
  const output = createOutput((id) => publish({ type: "output-grown", id }));
  const indexSome = (): Promise<boolean> => write(() => indexNext(db, indexedAtOnce));
  const catchUpSome = (): Promise<boolean> => write(() => db.counts.catchUp(db.sql, countedAtOnce));
  /** What was left for later is done now, if the filter asks for it. */
  const prepareFilter = async (filter: JobFilter): Promise<void> => {
    if (filter.text !== undefined) await all(indexSome);
    const isByEnd = filter.finishedFrom !== undefined || filter.finishedBefore !== undefined;
    if (isByEnd && !db.counts.isComplete) await all(catchUpSome);
  };
  return {
    capabilities: { isExclusive: true },
    output,
    tokens: createTokenStore(db, write),
    schedules: createScheduleStore(db, write),
    marks: createMarkStore(db, write),
    rollups: createRollupStore(db, write),
    mail: createMailStore(publish),
    ...readVerbs(db),
    ...leaseVerbs(db, write),
    ...changeVerbs(db, write),
    ...deliveryVerbs(db, write),
    ...unseenVerbs(db, write),
    ...memberVerbs(),
    time: async () => Date.now(),

    create: (drafts) => write(() => createJobs(db, drafts)),
    limits: async (kind, limits) => db.starts.limit(kind, limits),
    claim: (request) => writeLast(() => claimJobs(db, request)),
    list: async (filter, page) => {
      await prepareFilter(filter);
      return listJobs(db, filter, page);
    },
    count: async (filter) => {
      if (!db.counts.isComplete) await all(catchUpSome);
      return countJobs(db, filter);
    },
    countMatching: async (filter, page) => {
      await prepareFilter(filter);
      return countMatching(db, filter, page);
    },
    tidy: async () => (db.counts.isComplete ? indexSome() : catchUpSome()),
    probe: async () => {
      await write(() => void db.sql("UPDATE search_progress SET indexed_to = indexed_to").run());
      await probeDisk(`${file}.probe`);
    },
    setPaused: (kind, isPaused) =>
      write(() => {
        const change = isPaused
          ? "INSERT OR IGNORE INTO paused_kinds (kind) VALUES (?)"
          : "DELETE FROM paused_kinds WHERE kind = ?";
        db.sql(change).run(kind);
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
    remove: async (id, now) => {
      const isRemoved = await write(() => removeJob(db, id, now));
      if (!isRemoved) return false;
      await output.remove(id);
      await write(() => forgetOutput(db, [id]));
      return true;
    },
    subscribe,
    close: async () => {
      close();
      onClose();
    },
  };
}

/** On a full disk a search finds what is indexed so far, and a count has what is counted. */
async function all(some: () => Promise<boolean>): Promise<void> {
  try {
    while (await some());
  } catch (error) {
    if (!(error instanceof LonghaulError) || error.code !== "storage_full") throw error;
  }
}

/** As much as a job needs to begin with. */
const probeBytes = 64 * 1024;

/** Writes to the disk for good: the database alone may still have room in its own files when the disk has none. */
async function probeDisk(path: string): Promise<void> {
  try {
    const file = await open(path, "w", 0o600);
    try {
      await file.write(Buffer.alloc(probeBytes, 1));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw isFull(error)
      ? new LonghaulError("storage_full", "The disk is full: free some space.", { cause: error })
      : new LonghaulError("storage_failed", `The disk cannot be written to (${codeOf(error)}).`, { cause: error });
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Not the message, which names the file: whoever asks whether the server is ready need not be told where it lives. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
