import { isHeld } from "../job/state.ts";
import type { EngineParts } from "./settings.ts";

const batchSize = 100;

/**
 * In a store that nobody else has open, a job that is held while its kind is gone has no worker anywhere, and none may come for a long
 * time: it goes back to the queue, where its diagnosis says what is missing. When the kind is there again it goes on, and one that
 * must not be repeated ends then.
 */
export async function requeueUnknown({ store, kinds, settings }: EngineParts): Promise<void> {
  if (!store.capabilities.isExclusive) return;
  const counts = await store.count({});
  const held = counts.filter(({ status }) => status === "running" || status === "waiting");
  const unknown = [...new Set(held.map(({ kind }) => kind))].filter((kind) => !kinds.has(kind));
  if (unknown.length === 0) return;
  for (let isMore = true; isMore;) {
    const lost = await store.lost({ before: Infinity, kinds: unknown, limit: batchSize });
    const moved = await Promise.all(
      lost.map(async ({ id, kind, state }) => {
        if (!isHeld(state)) return false;
        const { worker, fence } = state.lease;
        const cause = `nothing here runs jobs of kind "${kind}"`;
        const outcome = { type: "interrupted", cause, isLoss: false } as const;
        return (
          (await store.abandon({ id, worker, fence, before: Infinity }, outcome, settings.clock.now())) !== undefined
        );
      }),
    );
    isMore = lost.length === batchSize && moved.some(Boolean);
  }
}
