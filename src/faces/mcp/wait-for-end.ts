import type { ServerContext } from "@modelcontextprotocol/server";
import type { WaitOptions, WaitResult } from "../../engine/wait.ts";
import type { JobAccess } from "./job-tool.ts";
import { statusMessage } from "./status-message.ts";

/** Clients that follow progress take a call for dead when they hear nothing for much longer. */
const progressMs = 8_000;

/**
 * Waits as the engine does, and meanwhile tells a client that asked for progress that the call lives.
 * Ends early, without an error, when the client gives up.
 */
export async function waitWithProgress(
  ids: readonly string[],
  options: Omit<WaitOptions, "signal"> & { timeoutMs: number },
  { engine, actor }: JobAccess,
  context: ServerContext,
): Promise<WaitResult> {
  const token = context.mcpReq._meta?.progressToken;
  const { signal } = context.mcpReq;
  const endsAt = performance.now() + options.timeoutMs;
  for (let step = 1; ; step += 1) {
    const leftMs = Math.max(0, endsAt - performance.now());
    const timeoutMs = token === undefined ? leftMs : Math.min(leftMs, progressMs);
    const finite = Number.isFinite(timeoutMs) ? { timeoutMs } : {};
    const { timeoutMs: _all, ...rest } = options;
    const result = await engine.wait(ids, { ...rest, ...finite, ...actor, signal });
    if (result.isReached || signal.aborted || performance.now() >= endsAt || token === undefined) return result;
    const message = result.jobs.map((job) => statusMessage(job, Date.now())).join(", ");
    await context.mcpReq
      .notify({ method: "notifications/progress", params: { progressToken: token, progress: step, message } })
      .catch(() => undefined);
  }
}

export function hasProgressToken(context: ServerContext): boolean {
  return context.mcpReq._meta?.progressToken !== undefined;
}
