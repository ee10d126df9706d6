import type { SharedEngine, SharedOptions } from "./shared-engine.ts";

export type { SharedEngine, SharedOptions } from "./shared-engine.ts";

/**
 * An engine that any number of processes may open on one home. The first owns it and runs the jobs; the others work through that
 * process, and when it ends or dies one of them takes over. Loaded when it is called: whoever shares nothing does not pay for it.
 */
export async function openSharedEngine(options: SharedOptions): Promise<SharedEngine> {
  const { createSharedEngine } = await import("./shared-engine.ts");
  return createSharedEngine(options);
}
