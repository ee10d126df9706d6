import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runInChild } from "../child.ts";
import { describeMachine } from "../machine.ts";
import { startServer } from "../mcp/process.ts";
import { publishReport } from "../report.ts";
import { median } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import type { Load } from "./load.ts";

const rounds = 3;
const jobs = 600;
const times = 200;

const measure = (load: Load): Promise<number> => runInChild<number>(new URL("./load.js", import.meta.url), load);

async function main(): Promise<number> {
  const machine = await describeMachine();
  return withTemporaryFolder(async (home) => {
    const ours = await startServer(new URL("./longhaul-server.js", import.meta.url), process.env, [home]);
    const hello = await startServer(new URL("../http/hello-server.js", import.meta.url));
    try {
      const finish = (kind: string, input: object, count: number): Promise<number> =>
        measure({ type: "finish", url: ours.url, kind, jobs: count, body: JSON.stringify({ kind, input }) });
      const endpointInput = { endpoint: "echo", input: { text: "hello" } };
      const body = JSON.stringify({ input: endpointInput.input });
      const helloLoad: Load = { type: "latency", url: `${hello.url}/hello`, method: "GET", times };
      const syncLoad: Load = { type: "latency", url: `${ours.url}/v2/echo/runsync`, method: "POST", body, times };
      for (const warm of [helloLoad, syncLoad]) await measure({ ...warm, times: 50 });
      await finish("noop", {}, 200);
      await finish("endpoint", endpointInput, 200);
      const taken = { noop: [], endpoint: [], hello: [], sync: [], handler: [] } as Record<string, number[]>;
      for (let round = 0; round < rounds; round++) {
        taken["noop"]?.push(await finish("noop", {}, jobs));
        taken["endpoint"]?.push(await finish("endpoint", endpointInput, jobs));
        taken["hello"]?.push(await measure(helloLoad));
        taken["sync"]?.push(await measure(syncLoad));
        taken["handler"]?.push(await timeHandler());
      }
      const [noop, endpoint, helloMs, syncMs, handlerMs] = Object.values(taken).map(median) as [
        number,
        number,
        number,
        number,
        number,
      ];
      return await publishReport({
        name: "endpoint",
        conditions: {
          ...machine,
          load: `${rounds} rounds in turn, medians. Jobs/s: ${jobs} jobs on 64 connections by POST /v1/jobs, from the first submit to the last end; each is stored with a sync to disk before the answer. runsync and hello: ${times} requests one after the other on one connection`,
          handler: `16 warm processes of Node, each of which gives its input back; the time of one, asked directly over a pipe, is ${handlerMs.toFixed(3)} ms, and is taken off runsync's ${syncMs.toFixed(3)} ms`,
        },
        rows: [
          {
            figure: "echo on a warm local endpoint, jobs/s, against the no-op kind",
            ours: endpoint,
            peer: noop,
            goal: { atLeast: 0.5 },
          },
          {
            figure: "runsync without the handler, p50 ms, against hello world",
            ours: Math.max(0, syncMs - handlerMs),
            peer: helloMs,
            goal: { atMost: 3 },
          },
        ],
      });
    } finally {
      await ours.stop();
      await hello.stop();
    }
  });
}

/** The median time from a line to the handler to its answer. */
async function timeHandler(): Promise<number> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./echo-handler.js", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const startedAt = performance.now();
    child.stdin.write(`${JSON.stringify({ id: String(time), input: { text: "hello" } })}\n`);
    await once(lines, "line");
    took.push(performance.now() - startedAt);
  }
  child.stdin.end();
  await once(child, "exit");
  return median(took);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
