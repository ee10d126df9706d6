import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import type { JobId } from "../../../job/id.ts";
import type { OutputFile, OutputFileOptions } from "../../../job/output.ts";
import { checkName, createOutputFiles } from "../../files/output-files.ts";
import type { HeldOutput, OutputAddress, OutputStore, OutputWriter, Restored } from "../../output-store.ts";
import { defaultShipping, Shipper, type ShipperSettings } from "../../shipping/shipper.ts";
import type { Hint } from "../../store.ts";
import type { Connections } from "../database/connections.ts";
import { createArtifactRows } from "./artifact-rows.ts";
import { createShore, listStored, measureStored, readStored, removeStored } from "./chunk-rows.ts";
import { loadPiece, savePiece } from "./piece-rows.ts";
import { clearAttempt, nameSpool, restoreSpool, sweepSpool, type RestoreParts } from "./spool.ts";

export interface PostgresOutputOptions extends Partial<ShipperSettings> {
  readonly connections: Connections;
  /** The folder of the spool: what the attempts of this process write. */
  readonly root: string;
  /** Tells this process alone. */
  readonly publish: (hints: readonly Hint[]) => void;
  /** Tells all that share the database. */
  readonly announce: (hint: Hint) => void;
  readonly subscribe: (listener: (hint: Hint) => void) => () => void;
}

interface PostgresOutput extends OutputStore {
  /** Ships nothing more. */
  readonly close: () => Promise<void>;
}

const defaultCapBytes = 16 * 1024 * 1024;

/**
 * Output that is written on one machine and read on all: attempts append to files in a spool, a shipper brings those to the database, and
 * readers read there, except of what their own process writes.
 */
export function createPostgresOutput(options: PostgresOutputOptions): PostgresOutput {
  const { connections, root, publish, announce, subscribe, capBytes = defaultCapBytes, ...settings } = options;
  const machine = nameSpool(root);
  const spool = createOutputFiles(root, { capBytes, onGrown: (id) => publish([{ type: "output-grown", id }]) });
  const shipper = new Shipper({
    ...defaultShipping,
    ...settings,
    capBytes,
    spool,
    shore: createShore(connections),
    onShipped: (id) => announce({ type: "output-grown", id }),
  });
  const unsubscribe = subscribe((hint) => {
    if (hint.type === "output-watched") shipper.look(hint.id);
  });
  /** Attempts of which there are files here. */
  const begun = new Set<string>();
  const begin = ({ id, attempt }: Pick<OutputAddress, "id" | "attempt">): void => void begun.add(`${id}/${attempt}`);
  let hasSwept = false;
  const sweepOnce = (): void => {
    if (hasSwept) return;
    hasSwept = true;
    // What could not be swept now is swept when the store is opened next.
    void sweepSpool(connections, root).catch(() => undefined);
  };
  return {
    restore: (held) => {
      if (held.isResumed) {
        begin({ id: held.lease.id, attempt: held.attempt });
        return goOn(held, shipper, { session: connections, spool, root, machine });
      }
      // Nothing is begun before all has ended that was left running by others of this machine: whoever ends it needs their files.
      sweepOnce();
      shipper.hold(held);
      return undefined;
    },
    flush: (id, attempt) => shipper.flush(id, attempt),
    leave: (id, attempt, { isOver }) => {
      shipper.leave(id, attempt);
      const hasFiles = begun.delete(`${id}/${attempt}`);
      if (isOver && hasFiles) void clearAttempt(root, id, attempt).catch(() => undefined);
    },
    writer: (address) => {
      begin(address);
      return shippedWriter(spool.writer(address), address, shipper);
    },
    file: (address, fileOptions = {}) => {
      begin(address);
      return shippedFile(spool.file(address, fileOptions), address, fileOptions, shipper);
    },
    folder: (id, attempt) => {
      begin({ id, attempt });
      return spool.folder(id, attempt);
    },
    ...createReads(connections, { spool, shipper, look: createLook(announce) }),
    savePiece: async (piece, content) => {
      const lease = shipper.leaseOf(piece.id, piece.attempt);
      if (lease !== undefined) return savePiece(connections, piece, lease.fence, content);
      throw new LonghaulError("stopped", "This attempt has ended, and keeps nothing more.");
    },
    loadPiece: (piece) => loadPiece(connections, piece),
    ...createArtifactRows(connections),
    remove: async (id) => {
      await Promise.all([removeStored(connections, id), spool.remove(id)]);
    },
    close: async () => {
      unsubscribe();
      await shipper.close();
    },
  };
}

async function goOn(held: HeldOutput, shipper: Shipper, parts: RestoreParts): Promise<Restored> {
  const { isMoved, stored } = await restoreSpool(held, parts);
  shipper.hold(held, stored);
  // What was written here and not shipped any more.
  for (const [stream] of stored ?? []) shipper.grew({ id: held.lease.id, attempt: held.attempt, stream });
  return { isMoved };
}

interface ReadParts {
  readonly spool: OutputStore;
  readonly shipper: Shipper;
  readonly look: (id: JobId) => void;
}

/** What this process writes is read where it writes it, all else in the database. */
function createReads(
  connections: Connections,
  { spool, shipper, look }: ReadParts,
): Pick<OutputStore, "read" | "measure" | "streams"> {
  return {
    read: async (address, from, limit) => {
      if (shipper.holds(address.id, address.attempt)) return spool.read(address, from, limit);
      checkName(address.stream, "An output stream");
      const { isHeld, ...slice } = await readStored(connections, address, from, limit);
      if (isHeld && slice.next === slice.size) look(address.id);
      return slice;
    },
    measure: async (address) => {
      if (shipper.holds(address.id, address.attempt)) return spool.measure(address);
      checkName(address.stream, "An output stream");
      const { isHeld, ...size } = await measureStored(connections, address);
      if (isHeld) look(address.id);
      return size;
    },
    streams: async (id, attempt) =>
      shipper.holds(id, attempt)
        ? spool.streams(id, attempt)
        : [...(await listStored(connections, id, attempt)).keys()],
  };
}

/** So often it is said at most that somebody here looks at a job's output. */
const lookEveryMs = 2_000;
const maxLooks = 1_000;

function createLook(announce: (hint: Hint) => void): (id: JobId) => void {
  const looks = new Map<JobId, number>();
  return (id) => {
    const now = performance.now();
    if ((looks.get(id) ?? -Infinity) + lookEveryMs > now) return;
    if (looks.size >= maxLooks) looks.clear();
    looks.set(id, now);
    announce({ type: "output-watched", id });
  };
}

function shippedWriter(writer: OutputWriter, address: OutputAddress, shipper: Shipper): OutputWriter {
  return {
    append: (chunk) => {
      writer.append(chunk);
      shipper.grew(address);
    },
    size: () => writer.size(),
    close: () => writer.close(),
  };
}

const retryMs = 500;

function shippedFile(
  file: OutputFile,
  address: OutputAddress,
  { isWhole = false }: OutputFileOptions,
  shipper: Shipper,
): OutputFile {
  const { id, attempt } = address;
  const ship = async (): Promise<void> => {
    for (;;) {
      try {
        return await shipper.flush(id, attempt);
      } catch (error) {
        // The database is away for a while: the attempt goes on once it is there, or ends with its lease.
        if (!shipper.holds(id, attempt)) throw error;
        await delay(retryMs);
      }
    }
  };
  return {
    path: file.path,
    ...(isWhole ? { maxBytes: shipper.maxWholeBytes } : {}),
    grown: async ({ isDurable = false } = {}) => {
      const measured = await file.grown();
      shipper.grew(address, { size: measured.size, isWhole });
      if (isDurable) await ship();
      return measured;
    },
  };
}
