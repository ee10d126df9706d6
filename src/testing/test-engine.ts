import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../engine/clock.ts";
import type { TypedEngine } from "../engine/typed-engine.ts";
import { openEngineOn, type OpenOptions } from "../server/open-engine.ts";
import { makeMortal, type MortalStore } from "./mortal-store.ts";
import { MovingClock } from "./moving-clock.ts";

export type TestOptions = Omit<OpenOptions, "home" | "clock">;

/** A folder that is made for a test, and the engine that has it open. */
export interface TestHome {
  readonly home: string;
  readonly clock: MovingClock;
  /** The engine that runs now. */
  readonly engine: () => TypedEngine;
  /** Drops the engine as `kill -9` would: nothing more is stored, and what it ran is answered no more. Opens the next one. */
  readonly crash: (options?: Partial<TestOptions>) => Promise<TypedEngine>;
  /** Stops the engine in good order and opens the next one. */
  readonly restart: (options?: Partial<TestOptions>) => Promise<TypedEngine>;
  /** Stops the engine and removes the folder. */
  readonly close: () => Promise<void>;
}

interface Opened extends MortalStore {
  readonly engine: TypedEngine;
  /** Nothing fires any more. */
  readonly silence: () => void;
}

/** Opens an engine in a temporary folder, on a clock that the test can move. */
export async function openTestHome(given: TestOptions): Promise<TestHome> {
  const home = await mkdtemp(join(tmpdir(), "longhaul-test-"));
  const clock = new MovingClock();
  let options = given;
  let opened = await open(home, clock, options);
  const openNext = async (changes: Partial<TestOptions> = {}): Promise<TypedEngine> => {
    options = { ...options, ...changes };
    opened = await open(home, clock, options);
    return opened.engine;
  };
  return {
    home,
    clock,
    engine: () => opened.engine,
    crash: async (changes) => {
      opened.silence();
      await opened.die();
      return openNext(changes);
    },
    restart: async (changes) => {
      await opened.engine.stop();
      return openNext(changes);
    },
    close: async () => {
      await opened.engine.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function open(home: string, clock: Clock, options: TestOptions): Promise<Opened> {
  let mortal: MortalStore | undefined;
  const { clock: ownClock, silence } = mortalClock(clock);
  const engine = await openEngineOn({ ...options, home, clock: ownClock }, (store) => {
    mortal = makeMortal(store);
    return mortal.store;
  });
  if (mortal === undefined) throw new Error("An engine has been opened without its store.");
  return { ...mortal, engine, silence };
}

/** The timers of one engine, which end with it. */
function mortalClock(clock: Clock): { clock: Clock; silence: () => void } {
  const cancels = new Set<() => void>();
  let isOver = false;
  const after: Clock["after"] = (delayMs, call) => {
    if (isOver) return () => undefined;
    const cancel = clock.after(delayMs, () => {
      cancels.delete(cancel);
      call();
    });
    cancels.add(cancel);
    return () => {
      cancels.delete(cancel);
      cancel();
    };
  };
  return {
    clock: { now: clock.now, monotonic: clock.monotonic, after },
    silence: () => {
      isOver = true;
      for (const cancel of cancels) cancel();
    },
  };
}
