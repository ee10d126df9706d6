import { join } from "node:path";
import { createEngine } from "../../../src/engine/engine.ts";
import type { EngineOptions } from "../../../src/engine/settings.ts";
import type { Engine, Kind } from "../../../src/index.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { useEach } from "../../use-each.ts";
import { FakeClock } from "../fake-clock.ts";
import { passTimeUntil } from "../world.ts";

export const leaseMs = 6_000;
export const orphanMs = 60_000;

interface JoinOptions extends Partial<Omit<EngineOptions, "store" | "kinds" | "clock">> {
  /** By how much the machine's own clock is wrong. */
  readonly clockOffMs?: number;
  /** What the store does otherwise for this machine. */
  readonly verbs?: Partial<Store>;
}

/** An engine on a machine with a clock of its own: time that stands still is a machine that hangs. */
export interface Machine {
  readonly engine: Engine;
  readonly clock: FakeClock;
  /** Cuts the machine off from the store, or connects it again. */
  readonly setCut: (isCut: boolean) => void;
  /** Whether it looked for jobs since it was asked for the last time. */
  readonly hasClaimed: () => boolean;
}

/** Engines on one store, as on several machines. The store's clock is that of the machine on which most time has passed. */
export class Cluster {
  readonly store: Store;
  readonly #machines: Machine[] = [];

  constructor(store: Store) {
    this.store = store;
  }

  async join(name: string, kinds: readonly Kind[], options: JoinOptions = {}): Promise<Machine> {
    const { clockOffMs = 0, verbs = {}, ...more } = options;
    const clock = new FakeClock();
    await clock.advance(this.#elapsedMs());
    clock.jump(clockOffMs);
    const link = { isCut: false, claims: 0 };
    const time = async (): Promise<number> => startedAt + Math.max(this.#elapsedMs(), clock.monotonic());
    const store = shared(this.store, link, { time, ...verbs });
    const engine = await createEngine({ store, kinds, machine: name, clock, leaseMs, random: () => 0, ...more });
    const machine: Machine = {
      engine,
      clock,
      setCut: (isCut) => {
        link.isCut = isCut;
      },
      hasClaimed: () => {
        const hasClaimed = link.claims > 0;
        link.claims = 0;
        return hasClaimed;
      },
    };
    this.#machines.push(machine);
    return machine;
  }

  /** Time passes on all of these machines, second by second. */
  async advance(durationMs: number, ...machines: Machine[]): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 1_000) {
      for (const { clock } of machines) await clock.advance(Math.min(1_000, durationMs - passedMs));
    }
  }

  /** By the store's clock. */
  now(): number {
    return startedAt + this.#elapsedMs();
  }

  async close(): Promise<void> {
    for (const { engine, clock, setCut } of this.#machines) {
      setCut(false);
      await passTimeUntil(engine.stop(), clock);
    }
    await this.store.close();
  }

  #elapsedMs(): number {
    return Math.max(0, ...this.#machines.map(({ clock }) => clock.monotonic()));
  }
}

const startedAt = new FakeClock().now();

/** The store as one machine reaches it. */
function shared(store: Store, link: { isCut: boolean; claims: number }, own: Partial<Store>): Store {
  const capabilities = { ...store.capabilities, isExclusive: false };
  const verbs: Store = { ...store, ...own, capabilities, close: async () => undefined };
  return new Proxy(verbs, {
    get: (_, name) => {
      const verb: unknown = Reflect.get(verbs, name);
      if (typeof verb !== "function" || name === "subscribe" || name === "close") return verb;
      return async (...given: unknown[]): Promise<unknown> => {
        if (name === "claim") link.claims++;
        if (link.isCut) throw new Error("the store cannot be reached");
        return (verb as (...all: unknown[]) => unknown)(...given);
      };
    },
  });
}

/** Gives each test of the file a store of its own. */
export function useCluster(): () => Cluster {
  return useEach(
    async () => new Cluster(await openSqliteStore({ file: join(makeTempFolder(), "longhaul.db") })),
    (cluster) => cluster.close(),
  );
}
