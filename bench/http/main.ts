import { runInChild } from "../child.ts";
import { describeMachine } from "../machine.ts";
import { startServer } from "../mcp/process.ts";
import { publishReport } from "../report.ts";
import { medians } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import type { LoadResult } from "./load.ts";

const rounds = 5;
const seconds = 3;
const readers = 500;
const mostReaderMegabytes = 100;
const headers = { authorization: "Bearer bench", "content-type": "application/json" };

async function main(): Promise<number> {
  const machine = await describeMachine();
  return withTemporaryFolder(async (home) => {
    const ours = await startServer(new URL("./longhaul-server.js", import.meta.url), process.env, [home]);
    const hello = await startServer(new URL("./hello-server.js", import.meta.url));
    try {
      const { memory, events } = await measureReaders(ours.url);
      const { get, post, plain } = await measureLoads(ours.url, hello.url);
      return await publishReport({
        name: "http",
        conditions: {
          ...machine,
          load: `${rounds} rounds of ${seconds} s in turn, medians; autocannon with 64 connections in a process of its own. Ours with a token; GET of a finished job, POST of a job that does nothing and is run, stored with a sync to disk before the answer. The peer is a hello-world route of Hono on the same adapter`,
          readers: `${readers} readers of one job's live output, 400 lines a second for 6 s; each got at least ${events} events`,
        },
        rows: [
          {
            figure: "GET /v1/jobs/{id}, requests/s",
            ours: get.perSecond,
            peer: plain.perSecond,
            goal: { atLeast: 0.6 },
          },
          { figure: "POST /v1/jobs, requests/s", ours: post.perSecond, peer: plain.perSecond, goal: { atLeast: 0.3 } },
          { figure: "GET, p99 against p50, ms", ours: get.p99, peer: get.p50, goal: { atMost: 10 } },
          { figure: "POST, p99 against p50, ms", ours: post.p99, peer: post.p50, goal: { atMost: 10 } },
          { figure: "500 live readers, MB", ours: memory, peer: mostReaderMegabytes, goal: { atMost: 1 } },
        ],
      });
    } finally {
      await ours.stop();
      await hello.stop();
    }
  });
}

async function submit(url: string, kind: string): Promise<string> {
  const response = await fetch(`${url}/v1/jobs`, {
    method: "POST",
    headers,
    body: JSON.stringify({ kind, input: {} }),
  });
  return ((await response.json()) as { id: string }).id;
}

async function measureReaders(url: string): Promise<{ memory: number; events: number }> {
  const id = await submit(url, "talk");
  const request = { url, id, seconds: 6 };
  const file = new URL("./readers.js", import.meta.url);
  type Measured = { memoryBytes: number; leastEvents: number };
  const before = await runInChild<Measured>(file, { ...request, count: 1 });
  const after = await runInChild<Measured>(file, { ...request, count: readers });
  await fetch(`${url}/v1/jobs/${id}/cancel`, { method: "POST", headers });
  return { memory: Math.max(0, after.memoryBytes - before.memoryBytes) / 1e6, events: after.leastEvents };
}

async function measureLoads(
  url: string,
  helloUrl: string,
): Promise<{ get: LoadResult; post: LoadResult; plain: LoadResult }> {
  const id = await submit(url, "noop");
  await fetch(`${url}/v1/jobs/${id}/wait`, { headers });
  const file = new URL("./load.js", import.meta.url);
  const loads = {
    plain: { url: `${helloUrl}/hello`, method: "GET", seconds },
    get: { url: `${url}/v1/jobs/${id}`, method: "GET", seconds },
    post: { url: `${url}/v1/jobs`, method: "POST", body: '{"kind":"noop","input":{}}', seconds },
  };
  const results = { plain: [] as LoadResult[], get: [] as LoadResult[], post: [] as LoadResult[] };
  for (const load of [loads.plain, loads.get, loads.post]) await runInChild(file, { ...load, seconds: 1 });
  for (let round = 0; round < rounds; round++) {
    for (const name of ["plain", "get", "post"] as const)
      results[name].push(await runInChild<LoadResult>(file, loads[name]));
  }
  return { plain: medians(results.plain), get: medians(results.get), post: medians(results.post) };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
