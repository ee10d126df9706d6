import type { ServerContext } from "@modelcontextprotocol/server";
import type { WaitOptions, WaitResult } from "../../../engine/wait.ts";
import type { JobAccess } from "./job-tool.ts";

/** Clients that follow progress take a call for dead when they hear nothing for much longer. */
const progressMs = 8_000;

/** Waits as the engine does; ends early, without an error, when the client gives up. */
export function waitForJobs(
  ids: readonly string[],
  { timeoutMs, ...options }: Omit<WaitOptions, "signal"> & { timeoutMs: number },
  { engine, actor }: JobAccess,
  context: ServerContext,
): Promise<WaitResult> {
  const limit = Number.isFinite(timeoutMs) ? { timeoutMs } : {};
  const waiting = engine.wait(ids, { ...options, ...limit, ...actor, signal: context.mcpReq.signal });
  return withProgress(waiting, context);
}

/** Tells a client that asked for progress that the call lives, for as long as it takes. */
export async function withProgress<Result>(working: Promise<Result>, context: ServerContext): Promise<Result> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return working;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const progress = Math.round((performance.now() - startedAt) / 1_000);
    const params = { progressToken, progress, message: `waiting for ${progress}s` };
    void context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, progressMs);
  try {
    return await working;
  } finally {
    clearInterval(timer);
  }
}

export function hasProgressToken(context: ServerContext): boolean {
  return context.mcpReq._meta?.progressToken !== undefined;
}
