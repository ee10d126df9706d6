import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { openEngine } from "../../src/index.ts";
import type { Engine, ErrorCode, JobEvent, JobState, JobStatus, Kind, OpenOptions } from "../../src/index.ts";
import { until } from "../until.ts";
import { FakeClock, turns } from "./fake-clock.ts";
import { useEach } from "../use-each.ts";

type Options = Omit<OpenOptions, "home" | "kinds">;

/** A folder of its own for each test, and the engine that has it open. */
export class World {
  readonly home: string;
  readonly clock = new FakeClock();
  #opened: { engine: Engine; kinds: readonly Kind[]; options: Options } | undefined;

  constructor(home: string) {
    this.home = home;
  }

  async open(kinds: readonly Kind[], options: Options = {}): Promise<Engine> {
    const engine = await openEngine({ home: this.home, kinds, ...options });
    this.#opened = { engine, kinds, options };
    return engine;
  }

  /** What a second engine on the same folder does; it is expected to be refused. */
  async openAnother(kinds: readonly Kind[]): Promise<void> {
    const engine = await openEngine({ home: this.home, kinds });
    await engine.stop();
  }

  /** As `open`, with time that passes only by `world.clock`, and no jitter. */
  openTimed(kinds: readonly Kind[], options: Options = {}): Promise<Engine> {
    return this.open(kinds, { clock: this.clock, random: () => 0, ...options });
  }

  /** Stops the engine and opens another one on the same folder, as a restart does. */
  async reopen(kinds = this.#opened?.kinds ?? []): Promise<Engine> {
    const options = this.#opened?.options ?? {};
    await this.stop();
    return this.open(kinds, options);
  }

  /** Stops the engine; attempts that do not stop by themselves run out of their grace time. */
  async stop(): Promise<void> {
    const { engine } = this.#opened ?? {};
    this.#opened = undefined;
    if (engine !== undefined) await passTimeUntil(engine.stop(), this.clock);
  }
}

/** Gives each test of the file a world of its own. */
export function useWorld(): () => World {
  return useEach(
    async () => new World(await mkdtemp(join(tmpdir(), "longhaul-engine-"))),
    async (world) => {
      await world.stop();
      await rm(world.home, { recursive: true, force: true });
    },
  );
}

/** Lets fake time pass, for as long as it takes. */
export async function passTimeUntil<T>(promise: Promise<T>, clock: FakeClock): Promise<T> {
  const progress = { isDone: false };
  const done = promise.finally(() => {
    progress.isDone = true;
  });
  await turns();
  while (!progress.isDone) await clock.advance(1_000);
  return done;
}

export async function statusOf(engine: Engine, id: string): Promise<JobStatus> {
  return (await engine.get(id)).state.status;
}

export async function untilStatus(engine: Engine, id: string, status: JobStatus): Promise<void> {
  await until(async () => (await statusOf(engine, id)) === status);
}

/** The job's state, which must have this status. */
export async function stateOf<Status extends JobStatus>(
  engine: Engine,
  id: string,
  status: Status,
): Promise<Extract<JobState, { status: Status }>> {
  const { state } = await engine.get(id);
  if (state.status !== status) throw new Error(`expected a job that is ${status}, got one that is ${state.status}`);
  return state as Extract<JobState, { status: Status }>;
}

export async function eventTypes(engine: Engine, id: string): Promise<JobEvent["type"][]> {
  return (await engine.events(id)).map(({ type }) => type);
}

/** What the promise rejects with, asked for before it does. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("expected a rejection"),
    (reason: unknown) => reason,
  );
}

/** What a refused call rejects with. */
export function refusal(code: ErrorCode, message?: RegExp): object {
  const error = { name: "LonghaulError", code };
  return message === undefined ? error : { ...error, message: expect.stringMatching(message) as string };
}
