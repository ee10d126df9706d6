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
const maxReaderMegabytes = 100;
const headers = { authorization: "Bearer bench", "content-type": "application/json" };

async function main(): Promise<number> {
  const machine = await describeMachine();
  return withTemporaryFolder(async (home) => {
    const ours = await startServer(new URL("./longhaul-server.js", import.meta.url), process.env, [home]);
    const hello = await startServer(new URL("./hello-server.js", import.meta.url));
    try {
      const { memory, events } = await measureReaders(ours.url);
      const id = await submit(ours.url, "noop");
      await fetch(`${ours.url}/v1/jobs/${id}/wait`, { headers });
      const get = await contest({ url: `${ours.url}/v1/jobs/${id}`, method: "GET" }, hello.url);
      const body = '{"kind":"noop","input":{}}';
      const post = await contest({ url: `${ours.url}/v1/jobs`, method: "POST", body }, hello.url);
      return await publishReport({
        name: "http",
        conditions: {
          ...machine,
          load: `${rounds} rounds of ${seconds} s in turn, medians; autocannon with 64 connections in a process of its own. Ours with a token; GET of a finished job, POST of a job that does nothing and is run, stored with a sync to disk before the answer. The peer is a hello-world route of Hono on @hono/node-server`,
          readers: `${readers} readers of one job's live output, 400 lines a second for 6 s; each got at least ${events} events`,
        },
        rows: [
          {
            figure: "GET /v1/jobs/{id}, requests/s",
            ours: get.ours.perSecond,
            peer: get.peer.perSecond,
            goal: { atLeast: 0.6 },
          },
          {
            figure: "POST /v1/jobs, requests/s",
            ours: post.ours.perSecond,
            peer: post.peer.perSecond,
            goal: { atLeast: 0.3 },
          },
          { figure: "GET, p99 against p50, ms", ours: get.ours.p99, peer: get.ours.p50, goal: { atMost: 10 } },
          { figure: "POST, p99 against p50, ms", ours: post.ours.p99, peer: post.ours.p50, goal: { atMost: 10 } },
          { figure: "500 live readers, MB", ours: memory, peer: maxReaderMegabytes, goal: { atMost: 1 } },
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

/** A request of ours and the peer's, in turn. */
async function contest(ours: object, helloUrl: string): Promise<{ ours: LoadResult; peer: LoadResult }> {
  const file = new URL("./load.js", import.meta.url);
  const measure = (load: object): Promise<LoadResult> => runInChild<LoadResult>(file, { seconds, ...load });
  const peer = { url: `${helloUrl}/hello`, method: "GET" };
  // As long as a round: on a busy machine a second is too short for the compiler to come to rest.
  for (const load of [ours, peer]) await measure(load);
  const results = { ours: [] as LoadResult[], peer: [] as LoadResult[] };
  for (let round = 0; round < rounds; round++) {
    results.peer.push(await measure(peer));
    results.ours.push(await measure(ours));
  }
  return { ours: medians(results.ours), peer: medians(results.peer) };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
