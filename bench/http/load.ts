import autocannon from "autocannon";
import { answerParent } from "../child.ts";

interface Load {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly body?: string;
  readonly seconds: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Asks the same over and over on 64 connections, from a process of its own. */
answerParent(async ({ url, method, body, seconds }: Load): Promise<LoadResult> => {
  const result = await autocannon({
    url,
    method,
    connections: 64,
    duration: seconds,
    headers: { authorization: "Bearer bench", "content-type": "application/json" },
    body,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
});
