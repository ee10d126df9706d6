import type { CallToolResult } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectOfficial, type OfficialClient } from "../faces/mcp/official-client.ts";
import { textOf } from "../faces/mcp/reply-text.ts";
import { until } from "../until.ts";
import { installPacked, type Installed } from "./installed.ts";

let installed: Installed;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  installed = await installPacked();
}, 600_000);
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await installed.remove();
});

/** A server that a client talks to: over HTTP it is a process of its own, over stdio the client starts it. */
interface Way {
  readonly url: string;
  readonly front: {
    readonly command: string;
    readonly args: string[];
    readonly cwd: string;
    readonly env: Record<string, string>;
  };
  readonly wire: "http" | "stdio";
  readonly child: ChildProcess | undefined;
}

async function serve(folder: string, wire: Way["wire"]): Promise<Way> {
  const env = process.env as Record<string, string>;
  const front = { command: process.execPath, args: ["server.mjs"], cwd: folder, env };
  if (wire === "stdio") return { url: "", front, wire, child: undefined };
  const { child, lines } = start(folder, "server.mjs");
  await until(() => lines.length > 0, { timeoutMs: 60_000 });
  return { url: lines[0] ?? "", front, wire, child };
}

function start(folder: string, file: string): { child: ChildProcess; lines: string[]; exited: Promise<unknown> } {
  const env = { ...process.env, PORT: "0" };
  const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const lines: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(...text.trim().split("\n")));
  return { child, lines, exited: new Promise((resolve) => child.once("close", resolve)) };
}

/** Kills the server as the system would, in the middle of what it does. */
async function kill({ child }: Way, { client }: OfficialClient): Promise<void> {
  const pid = child?.pid ?? (client.transport as unknown as { pid: number }).pid;
  process.kill(pid, "SIGKILL");
  if (child !== undefined) await until(() => child.signalCode !== null);
  await client.close().catch(() => undefined);
}

async function connectPlain({ wire, url, front }: Way): Promise<Client> {
  const client = new Client({ name: "plain", version: "1.0.0" });
  const transport = wire === "http" ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(front);
  await client.connect(transport);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  return textOf((await client.callTool({ name, arguments: args })) as CallToolResult);
}

const servers = [
  { example: "stdio/server.mjs", wire: "stdio", prefix: "" },
  { example: "sdk-v1/server.mjs", wire: "stdio", prefix: "reports_" },
  { example: "express/server.mjs", wire: "http", prefix: "" },
  { example: "hono/server.mjs", wire: "http", prefix: "" },
] as const;

describe.concurrent.each(servers)("the example $example, installed from the package,", ({ example, wire, prefix }) => {
  it("keeps a task, its progress and its question through kill -9, and shows plain clients a way back", async () => {
    const folder = await installed.folder(example);
    const first = await serve(folder, wire);
    const before = await connectOfficial(first, { wire, era: "modern" });
    const args = { topic: "tides", pages: 12 };
    const execution = await before.session.callTool("report", args, { task: { preference: "require" } });
    if (execution.kind !== "task") throw new Error("expected a task");
    await execution.detach();
    const reference = execution.serializeReference();
    const { taskId } = reference;
    await until(async () => /\d%/.test(JSON.stringify(await before.raw("tasks/get", { taskId }))));
    await kill(first, before);

    const second = await serve(folder, wire);
    const answers = (): Record<string, boolean> => ({ publish: true });
    const after = await connectOfficial(second, { wire, era: "modern", answers });
    const { outcome } = await (await after.session.resumeTask(reference)).settle();
    const published = { content: [{ type: "text", text: "12 pages on tides, published" }] };
    expect(outcome).toMatchObject({ status: "completed", result: published });

    // Over stdio this is a third process: it works through the one that has the home.
    const plain = await connectPlain(second);
    if (example.startsWith("sdk-v1")) {
      expect(await call(plain, "hello", { name: "Ada" })).toBe("Hello, Ada!");
    }
    const asked = await call(plain, "report", { topic: "moons", pages: 2 });
    const id = /[0-9a-f-]{36}/.exec(asked)?.[0] ?? "";
    expect(asked).toContain(`${prefix}job_send {"id":"${id}","answer":`);
    const answer = { action: "accept", content: { publish: false } };
    await call(plain, `${prefix}job_send`, { id, answer });
    expect(await call(plain, `${prefix}job_wait`, { ids: [id] })).toBe("2 pages on moons, kept as a draft");
    await plain.close();
    await after.close();
    second.child?.kill("SIGTERM");
  });
});

describe.concurrent("the server of the tutorial", () => {
  it("runs as it stands in docs/library.md, and asks a plain client", async () => {
    const folder = await installed.folder("stdio/server.mjs", "tutorial");
    const guide = await readFile(join(import.meta.dirname, "../../docs/library.md"), "utf8");
    await writeFile(join(folder, "server.mjs"), /^```ts\n(.*?)^```/ms.exec(guide)?.[1] ?? "");
    const plain = await connectPlain(await serve(folder, "stdio"));
    expect(await call(plain, "report", { topic: "tides", pages: 1 })).toContain("Publish it?");
    await plain.close();
  });
});

describe.concurrent("the example engine/main.mjs", () => {
  it("does its work once, in whichever of its processes, through kill -9", async () => {
    const folder = await installed.folder("engine/main.mjs");
    const owner = start(folder, "main.mjs");
    await until(() => owner.lines.includes("step 3"), { timeoutMs: 60_000 });
    const member = start(folder, "main.mjs");
    owner.child.kill("SIGKILL");
    await owner.exited;
    await member.exited;
    expect(member.lines.at(-1)).toBe("sum 820");
    const steps = [...owner.lines, ...member.lines].filter((line) => line.startsWith("step"));
    // The kill may have come between a step and the word of it.
    expect(new Set(steps).size).toBeGreaterThanOrEqual(39);
    expect(steps.length).toBe(new Set(steps).size);
  });
});
