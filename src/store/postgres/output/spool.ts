import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isJobId, type JobId } from "../../../job/id.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { refillStream } from "../../files/refill.ts";
import type { HeldOutput, OutputAddress, OutputStore, Restored } from "../../output-store.ts";
import type { ShippedSize } from "../../shipping/shipper.ts";
import type { Session } from "../database/connections.ts";
import { listStored, moveSpool, readStored } from "./chunk-rows.ts";

/** The name of a spool, made once: tells what this machine has written from what another has. */
export function nameSpool(root: string): string {
  makeFolder(root);
  const file = join(root, "spool-id");
  if (!existsSync(file)) writeFileSync(file, randomUUID(), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

export interface RestoreParts {
  readonly session: Session;
  readonly spool: OutputStore;
  readonly root: string;
  readonly machine: string;
}

interface RestoredSpool extends Restored {
  /** What is kept of each stream; undefined once the lease is lost. */
  readonly stored: ReadonlyMap<string, ShippedSize> | undefined;
}

const readBytes = 1024 * 1024;

/**
 * Puts the streams of an attempt that ran before back into the spool, where another machine wrote them last, or this one has lost some of
 * them. Otherwise what is here is all there is, and maybe more than was shipped.
 */
export async function restoreSpool(
  { lease, attempt }: HeldOutput,
  { session, spool, root, machine }: RestoreParts,
): Promise<RestoredSpool> {
  const { id } = lease;
  const folder = attemptFolder(root, id, attempt);
  const { before, isHeld } = await moveSpool(session, lease, attempt, machine);
  if (!isHeld) return { isMoved: false, stored: undefined };
  const stored = await listStored(session, id, attempt);
  let isMoved = before !== undefined && before !== machine;
  if (isMoved) await rm(folder, { recursive: true, force: true });
  for (const [stream, { size }] of stored) {
    const address = { id, attempt, stream };
    if ((await spool.measure(address)).size >= size) continue;
    isMoved = true;
    await refillStream(folder, stream, stretches(session, address));
  }
  return { isMoved, stored };
}

async function* stretches(
  session: Session,
  address: OutputAddress,
): AsyncGenerator<{ from: number; bytes: Uint8Array }> {
  for (let at = 0; ;) {
    const { from, bytes, next } = await readStored(session, address, at, readBytes);
    if (bytes.length === 0) return;
    yield { from, bytes };
    at = next;
  }
}

/** Nobody goes on from these files: readers have what was shipped. */
export async function clearAttempt(root: string, id: JobId, attempt: number): Promise<void> {
  await rm(attemptFolder(root, id, attempt), { recursive: true, force: true });
  try {
    // In one turn, so that no attempt that begins meanwhile loses the folder that it has just made.
    rmdirSync(join(root, id));
  } catch {
    // Another attempt has its files there.
  }
}

const sweptAtOnce = 500;

/** Removes what was left of jobs that ended, or went, while this machine was away. */
export async function sweepSpool({ query }: Session, root: string): Promise<void> {
  const ids = (await readdir(root)).filter(isJobId);
  for (let at = 0; at < ids.length; at += sweptAtOnce) {
    const some = ids.slice(at, at + sweptAtOnce);
    const open = await query<{ id: JobId }>(
      "SELECT id FROM longhaul.states WHERE id = ANY ($1::uuid[]) AND status IN ('queued', 'running', 'waiting')",
      [some],
    );
    const kept = new Set(open.map(({ id }) => id));
    for (const id of some) if (!kept.has(id)) await rm(join(root, id), { recursive: true, force: true });
  }
}

function attemptFolder(root: string, id: JobId, attempt: number): string {
  return join(root, id, String(attempt));
}
