import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "../../src/faces/door/local-client.ts";
import { describeMachine } from "../machine.ts";
import { publishReport } from "../report.ts";
import { median } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { loadedRounds, measureCall, measureColdStart, measureColdUnderLoad, measureReconnect } from "./front.ts";
import { measureLoad } from "./load.ts";
import { startServer, timeFirstAnswer } from "./process.ts";

const startRounds = 15;
const loadRounds = 5;
/** What a listing of five tools may cost. */
const maxListBytes = 6_000;

async function main(): Promise<number> {
  const machine = await describeMachine();
  return withTemporaryFolder(async (home) => {
    const longhaul = await startServer(new URL("./longhaul-server.js", import.meta.url), {
      ...process.env,
      LONGHAUL_HOME: home,
    });
    const hello = await startServer(new URL("./hello-http.js", import.meta.url));
    try {
      const start = await measureStart(home);
      const load = await measureGet(home, longhaul.url, hello.url);
      const call = await measureCall(home);
      const cold = await measureColdStart();
      const reconnectMs = await measureReconnect();
      const loadedMs = await measureColdUnderLoad();
      const conditions = {
        ...machine,
        start: `${startRounds} rounds in turn, medians: from spawn to the first answer to tools/list; ours is longhaul mcp with a running server, the peer a process that is a hello-world server of the SDK`,
        load: `${loadRounds} rounds in turn, medians: 3,000 requests after 500, 16 in flight; ours is tasks/get of a finished command with token and owner check, the peer tools/call of a hello-world server of the SDK on the same adapter`,
        cold: "15 rounds in turn, medians: the same with no server and an empty folder",
        loaded: `the slowest of ${loadedRounds} cold starts to the answer to server/discover, with two busy loops a core, against a second`,
        call: "200 rounds in turn, medians: run_command true over stdio, durable and with its end, against a tool of a hello-world server over stdio",
        reconnect: "the slowest of ten: from kill -9 of the server to the answer to the next call, against two seconds",
        listing: "JSON of tools/list of the core profile, per five tools, against 6,000 bytes",
      };
      return await publishReport({
        name: "mcp",
        conditions,
        rows: [
          { figure: "spawn→first tools/list, ms", ours: start.ours, peer: start.peer, goal: { atMost: 0.6 } },
          { figure: "cold spawn→tools/list, ms", ours: cold.ours, peer: cold.peer, goal: { atMost: 1 } },
          { figure: "cold discover under load, slowest, ms", ours: loadedMs, peer: 1_000, goal: { atMost: 1 } },
          { figure: "run_command true, ms", ours: call.ours, peer: call.peer, goal: { atMost: 3 } },
          { figure: "kill -9→next answer, slowest, ms", ours: reconnectMs, peer: 2_000, goal: { atMost: 1 } },
          { figure: "tasks/get over HTTP, requests/s", ours: load.ours, peer: load.peer, goal: { atLeast: 0.7 } },
          { figure: "tools/list, bytes per 5 tools", ours: start.listBytes, peer: maxListBytes, goal: { atMost: 1 } },
        ],
      });
    } finally {
      await longhaul.stop();
      await hello.stop();
    }
  });
}

async function measureStart(home: string): Promise<{ ours: number; peer: number; listBytes: number }> {
  const program = new URL("../../src/server/main.js", import.meta.url);
  const environment = { ...process.env, LONGHAUL_HOME: home };
  const hello = new URL("./hello-stdio.js", import.meta.url);
  const ours: number[] = [];
  const peer: number[] = [];
  let listBytes = 0;
  await timeFirstAnswer(program, ["mcp"], environment);
  for (let round = 0; round < startRounds; round++) {
    const { ms, answer } = await timeFirstAnswer(program, ["mcp"], environment);
    ours.push(ms);
    peer.push((await timeFirstAnswer(hello)).ms);
    const { tools } = (JSON.parse(answer) as { result: { tools: unknown[] } }).result;
    listBytes = (JSON.stringify({ tools }).length / tools.length) * 5;
  }
  return { ours: median(ours), peer: median(peer), listBytes };
}

async function measureGet(home: string, url: string, helloUrl: string): Promise<{ ours: number; peer: number }> {
  const client = createClient(join(home, "longhaul.sock"));
  const job = await client.call("run_command", { command: "echo hello" });
  await client.call("job_wait", { ids: [job.id] });
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < loadRounds; round++) {
    ours.push(await measureLoad({ url, token, method: "tasks/get", name: job.id, params: { taskId: job.id } }));
    const params = { name: "hello", arguments: { name: "Ada" } };
    peer.push(await measureLoad({ url: helloUrl, method: "tools/call", name: "hello", params }));
  }
  return { ours: median(ours), peer: median(peer) };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
