import type { EngineParts } from "./settings.ts";

/** Small texts that all servers on a store share, such as how far a stream was read. They are forgotten a while after their last change. */
export interface Marks {
  readonly get: (name: string) => Promise<string | undefined>;
  /** False if another text is there by now than the one that was read before. */
  readonly replace: (name: string, before: string | undefined, value: string) => Promise<boolean>;
}

/** Longer than jobs that have succeeded are kept, where nobody says otherwise. */
const lifeMs = 3 * 24 * 3_600_000;

export function createMarks({ store, settings: { clock } }: Pick<EngineParts, "store" | "settings">): Marks {
  return {
    get: (name) => store.marks.get(name, clock.now()),
    replace: (name, before, value) => {
      const now = clock.now();
      return store.marks.replace(name, { before, value, now, expiresAt: now + lifeMs });
    },
  };
}
