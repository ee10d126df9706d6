import { defined } from "../../job/defined.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { EngineParts } from "../settings.ts";

export interface Membership {
  /** Tells the others that this engine is there, and what it does. */
  readonly tell: () => Promise<void>;
  readonly leave: () => Promise<void>;
}

/** So many leases without a word, and nobody counts on the engine any more. */
const toleratedLeases = 3;

export function createMembership({
  store,
  kinds,
  settings,
  worker,
  dispatcher,
}: EngineParts & { readonly worker: string; readonly dispatcher: Dispatcher }): Membership {
  const { clock, leaseMs, machine, labels, role, version } = settings;
  const startedAt = clock.now();
  return {
    tell: () => {
      const beatAt = clock.now();
      return store.join({
        worker,
        machine,
        role,
        labels,
        kinds: [...kinds.values()].map(({ name, concurrency = settings.concurrency }) => ({
          name,
          slots: concurrency,
          running: dispatcher.runningCount(name),
        })),
        version,
        ...defined({ address: settings.address() }),
        startedAt,
        beatAt,
        expiresAt: beatAt + toleratedLeases * leaseMs,
      });
    },
    leave: async () => {
      await store.leave(worker).catch((error: unknown) => {
        // It is told from the others by its silence, only later.
        settings.log({ level: "warn", message: "this engine could not say that it leaves", error });
      });
    },
  };
}
