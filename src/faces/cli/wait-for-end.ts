import type { Client } from "../local/client.ts";
import type { JobAnswer, WaitAnswer } from "./answers.ts";

const sliceMs = 60_000;

/** Resolves with the job when it has ended. */
export async function waitForEnd(client: Client, id: string, signal: AbortSignal): Promise<JobAnswer> {
  for (;;) {
    const { reached } = await client.call<WaitAnswer>("job_wait", { ids: [id], timeout_ms: sliceMs }, signal);
    if (reached) return client.call<JobAnswer>("job_get", { id }, signal);
  }
}
