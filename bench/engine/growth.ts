import { cp } from "node:fs/promises";
import { join } from "node:path";
import { runInChild } from "../child.ts";
import { medians } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import type { Row } from "../report.ts";
import type { ClaimResult, StoredJobsRequest, UseResult } from "./stored-jobs.ts";

const few = 1_000;
const many = 100_000;

/** What submit, list and claim cost, and the memory of a process, with 100k finished jobs (ours) against 1k (peer). */
export function measureGrowth(rounds: number): Promise<Row[]> {
  return withTemporaryFolder(async (folder) => {
    const homes = { few: join(folder, "few"), many: join(folder, "many") };
    await run<number>({ type: "fill", home: homes.few, jobs: few });
    await run<number>({ type: "fill", home: homes.many, jobs: many });
    const results: Record<keyof typeof homes, StoredJobsResult[]> = { few: [], many: [] };
    for (let round = 0; round < rounds; round++) {
      results.few.push(await measureCopy(homes.few));
      results.many.push(await measureCopy(homes.many));
    }
    return toRows(medians(results.many), medians(results.few));
  });
}

type StoredJobsResult = UseResult & ClaimResult;

/** Measuring adds jobs, so it works on a copy. */
function measureCopy(home: string): Promise<StoredJobsResult> {
  return withTemporaryFolder(async (folder) => {
    await cp(home, folder, { recursive: true });
    const used = await run<UseResult>({ type: "use", home: folder });
    return { ...used, ...(await run<ClaimResult>({ type: "claim", home: folder })) };
  });
}

function run<Answer>(request: StoredJobsRequest): Promise<Answer> {
  return runInChild(new URL("./stored-jobs.js", import.meta.url), request);
}

function toRows(ours: StoredJobsResult, peer: StoredJobsResult): Row[] {
  return [
    { figure: "submit, ms, 100k stored jobs vs 1k", ours: ours.submitMs, peer: peer.submitMs },
    { figure: "claim, ms, 100k stored jobs vs 1k", ours: ours.claimMs, peer: peer.claimMs },
    {
      figure: "list page of 20, ms, 100k stored jobs vs 1k",
      ours: ours.listMs,
      peer: peer.listMs,
      goal: { atMost: 2 },
    },
    {
      figure: "list page of 20 by status, ms, 100k stored jobs vs 1k",
      ours: ours.listByStatusMs,
      peer: peer.listByStatusMs,
      goal: { atMost: 2 },
    },
    { figure: "RSS, MB, 100k stored jobs vs 1k", ours: ours.rssMb, peer: peer.rssMb, goal: { atMost: 1.3 } },
  ];
}
