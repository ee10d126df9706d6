import { setTimeout as delay } from "node:timers/promises";
import { findPaths, type Paths } from "../../config/paths.ts";
import type { Engine } from "../../engine/engine.ts";
import { LonghaulError } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import { linkToOwner, type OwnerLink } from "../../faces/share/owner-link.ts";
import { openEngine, type OpenOptions } from "../open-engine.ts";
import { openHomeDoor } from "./own-home.ts";

/** Where a process stands towards the home: it owns it, with an engine of its own, or works through the process that does. */
export type Seat =
  | { readonly type: "owner"; readonly engine: Engine; readonly leave: () => Promise<void> }
  | { readonly type: "member"; readonly link: OwnerLink; readonly leave: () => Promise<void> };

export interface SeatOptions extends OpenOptions {
  /** How the program calls itself to those who look into the home. */
  readonly program: string;
}

/** A process that died has left a lock that ends at once; one that stops may take a while. */
const patienceMs = 30_000;
const longestPauseMs = 250;

/**
 * Finds a place at the home: with whoever owns it, else as its owner. Of several that try at once one gets the lock, and the others
 * find its socket. Throws when the home is owned by somebody who does not share it.
 */
export async function takeSeat(
  options: SeatOptions,
  onFinished: (job: Job) => void,
  signal: AbortSignal,
): Promise<Seat> {
  const paths = findPaths({ LONGHAUL_HOME: options.home });
  const giveUpAt = performance.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    const seat = (await join(paths, onFinished)) ?? (await own(options, paths, onFinished, giveUpAt));
    if (seat !== undefined) return seat;
    // Those who try at once look at the file in turn, and each look keeps the others out for a moment.
    await delay(Math.random() * Math.min(longestPauseMs, 20 * tries), undefined, { signal });
  }
}

async function join(paths: Paths, onFinished: (job: Job) => void): Promise<Seat | undefined> {
  const link = await linkToOwner(paths.socket, onFinished).catch((error: unknown) => {
    if (error instanceof LonghaulError) throw error;
    return undefined;
  });
  return link && { type: "member", link, leave: async () => link.close() };
}

async function own(
  { program, ...options }: SeatOptions,
  paths: Paths,
  onFinished: (job: Job) => void,
  giveUpAt: number,
): Promise<Seat | undefined> {
  let engine: Engine;
  try {
    engine = await openEngine(options);
  } catch (error) {
    const isTaken = error instanceof LonghaulError && error.code === "store_in_use";
    if (isTaken && performance.now() < giveUpAt) return undefined;
    throw error;
  }
  try {
    const closeDoor = await openHomeDoor({ engine, paths, program, log: options.log });
    engine.onFinished(onFinished);
    const leave = async (): Promise<void> => {
      await closeDoor();
      await engine.stop();
    };
    return { type: "owner", engine, leave };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}
