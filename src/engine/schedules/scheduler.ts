import { messageOf } from "../../job/failure.ts";
import type { JobId } from "../../job/id.ts";
import { isTerminalStatus } from "../../job/state.ts";
import type { Firing, Schedule } from "../../store/schedule-store.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { draftRun, findEndOfToken, forTime, type RunParts } from "./make-runs.ts";
import { readPlan } from "./plan.ts";

/** How many times that were missed in a row are made up for, or counted. */
export const maxMissed = 100;

/** A clock that was set, or a machine that slept, is noticed after this. */
const lookMs = 60_000;
/** More schedules than these are seen to one after the other. */
const atOnce = 50;
const maxRounds = 1_000;

interface SchedulerParts extends RunParts {
  readonly dispatcher: Pick<Dispatcher, "wake">;
}

/** Starts the jobs of schedules when their time comes. What it knows is in the store alone, so that it can die at any moment. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #unsubscribe: () => void;
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;
  /** Times wait for the end of a run. */
  #isHeldUp = false;
  #hasFailed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.store.subscribe((hint) => {
      const isWaiting = this.#isHeldUp || this.#looking !== undefined;
      if (isWaiting && hint.type === "job-changed" && isTerminalStatus(hint.status)) this.#wakeAfter(hint.id);
    });
    this.wake();
  }

  /** Looks which times have come. One look is under way at a time; every wake-up leads to one after it. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#isWoken) this.wake();
    });
  }

  #wakeAfter(id: JobId): void {
    this.#parts.store.get(id).then(
      (job) => job?.schedule !== undefined && this.wake(),
      // The store closed meanwhile.
      () => undefined,
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#cancelTimer?.();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, settings } = this.#parts;
    this.#isWoken = false;
    try {
      this.#hasFailed = false;
      await this.#fireDue();
      const now = settings.clock.now();
      const nextAt = (await store.schedules.nextAfter(now)) ?? Infinity;
      this.#schedule(Math.min(nextAt - now, this.#hasFailed ? settings.pollMs : lookMs));
    } catch (error) {
      settings.log({ level: "error", message: "schedules could not be seen to", error });
      this.#schedule(settings.pollMs);
    }
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer?.();
    if (!this.#isStopped) this.#cancelTimer = this.#parts.settings.clock.after(Math.max(1, delayMs), () => this.wake());
  }

  /** Until nothing is due but what waits for the end of a run, or could not be stored. */
  async #fireDue(): Promise<void> {
    const { store, settings } = this.#parts;
    this.#isHeldUp = false;
    const passed = new Set<string>();
    for (let round = 0; round < maxRounds && !this.#isStopped; round++) {
      const all = await store.schedules.due(settings.clock.now());
      const due = all.filter(({ id }) => !passed.has(id)).slice(0, atOnce);
      if (due.length === 0) return;
      const results = await Promise.all(due.map((schedule) => this.#tryFire(schedule)));
      due.forEach(({ id }, index) => results[index] !== "fired" && passed.add(id));
      this.#isHeldUp ||= results.includes("held up");
      this.#hasFailed ||= results.includes("failed");
    }
  }

  async #tryFire(schedule: Schedule): Promise<"fired" | "held up" | "failed"> {
    try {
      return await this.#fire(schedule);
    } catch (error) {
      const message = `the schedule "${schedule.name}" could not be seen to`;
      this.#parts.settings.log({ level: "error", message, error });
      return "failed";
    }
  }

  async #fire(schedule: Schedule): Promise<"fired" | "held up"> {
    const { store, settings, dispatcher } = this.#parts;
    const { id, revision } = schedule;
    const now = settings.clock.now();
    const times = readPlan(schedule.plan);
    const following = times.next(now);
    const nextAt = schedule.nextAt ?? following;
    if (schedule.plannedAt > now) {
      await store.schedules.replan(schedule, Math.min(nextAt, following), now);
      return "fired";
    }
    const planned = times.between(nextAt, now, maxMissed);
    // Other rules for its time zone may have come with an update.
    const due = planned.length === 0 ? [nextAt] : planned;
    const isOver = await findEndOfToken(schedule, this.#parts);
    const jobs = isOver === undefined ? await this.#makeJobs(schedule, due) : { refusal: isOver };
    const firing = store.schedules.fire({ id, revision, now, due, nextAt: following, jobs });
    // In the same turn: the jobs are claimed in the commit that makes them.
    dispatcher.wake();
    const fired = await firing;
    if (isOver !== undefined) await store.schedules.pause(id, { at: now, reason: isOver });
    return fired?.isHeldUp === true ? "held up" : "fired";
  }

  async #makeJobs(schedule: Schedule, due: readonly number[]): Promise<Firing["jobs"]> {
    const { store, newId, settings } = this.#parts;
    try {
      const draft = await draftRun(schedule, await store.schedules.work(schedule.id), this.#parts);
      return { drafts: due.map((plannedAt) => forTime(draft, newId(), plannedAt)) };
    } catch (error) {
      settings.log({ level: "warn", message: "a scheduled job was refused", subject: schedule.name, error });
      return { refusal: messageOf(error) };
    }
  }
}
