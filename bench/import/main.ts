import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeMachine } from "../machine.ts";
import { median } from "../statistics.ts";

const rounds = 21;
const goal = 1.5;
const root = join(import.meta.dirname, "../../..");

/** What an author's first lines cost, with the SDK alone and with an engine. Each is a process of its own; they take turns. */
const sdk = `
  const { McpServer } = await import("@modelcontextprotocol/server");
  const { z } = await import("zod");
  const mcp = new McpServer({ name: "hello", version: "1.0.0" });
  const text = ({ name }) => ({ content: [{ type: "text", text: name }] });
  mcp.registerTool("hello", { description: "Hello", inputSchema: z.object({ name: z.string() }) }, text);
`;
const engine = (home: string): string => `
  const { defineKind, openEngine } = await import("./dist/index.js");
  const { z } = await import("zod");
  const input = z.object({ name: z.string() });
  const kind = defineKind({ name: "hello", onInterrupt: "restart", input, run: async ({ name }) => name });
  const engine = await openEngine({ home: ${JSON.stringify(home)}, kinds: [kind] });
`;

async function measure(code: string, end = ""): Promise<number> {
  const timed = `const start = performance.now(); ${code} console.log(performance.now() - start); ${end}`;
  const args = ["--input-type=module", "-e", timed];
  return Number((await promisify(execFile)(process.execPath, args, { cwd: root })).stdout);
}

async function main(): Promise<number> {
  const machine = await describeMachine();
  const own: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const home = await mkdtemp(join(tmpdir(), "longhaul-import-"));
    alone.push(await measure(sdk));
    own.push(await measure(engine(home), "await engine.stop();"));
    await rm(home, { recursive: true });
  }
  const ratio = median(own) / median(alone);
  console.log(JSON.stringify({ machine, sdkMs: median(alone), engineMs: median(own), ratio, goal }, undefined, 2));
  return ratio <= goal ? 0 : 1;
}

process.exitCode = await main();
