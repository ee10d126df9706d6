import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runMcpFront, type FrontOptions } from "../../../../src/faces/mcp/front/front.ts";
import { until } from "../../../until.ts";
import type { Answer } from "./raw-front.ts";

/** A server that is written out here, so that it can do what ours does not. */
interface Script {
  readonly onMessage: (message: Answer & { id?: number }, socket: Socket) => void;
  readonly welcome?: Record<string, unknown>;
}

let home = "";
let server: Server | undefined;
const ends: (() => Promise<void>)[] = [];

async function listen({ onMessage, welcome }: Script): Promise<void> {
  server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    const lines = createInterface({ input: socket });
    lines.once("line", () => {
      socket.write(`${JSON.stringify(welcome ?? { welcome: { version: "1.0.0", pid: 1, snapshot: "none" } })}\n`);
      if (welcome?.["refused"] !== undefined) socket.end();
      lines.on("line", (line) => onMessage(JSON.parse(line) as Answer & { id?: number }, socket));
    });
  });
  await new Promise<void>((resolve) => server?.listen(join(home, "mcp.sock"), resolve));
}

function openFront(options: Partial<FrontOptions> = {}): {
  send: (message: Record<string, unknown>) => void;
  answers: Answer[];
  failures: string[];
} {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: Answer[] = [];
  const failures: string[] = [];
  createInterface({ input: output }).on("line", (line) => answers.push(JSON.parse(line) as Answer));
  const running = runMcpFront({
    socketPath: join(home, "mcp.sock"),
    snapshotFiles: { own: join(home, "none.json"), shipped: join(home, "none.json") },
    hello: { version: "1.0.0", cwd: home, env: {} },
    startServer: async () => undefined,
    retireServer: () => undefined,
    input,
    output,
    onFailure: (reason) => failures.push(reason),
    ...options,
  });
  ends.push(async () => {
    input.end();
    await running;
  });
  const send = (message: Record<string, unknown>): void => {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  return { send, answers, failures };
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "longhaul-link-"));
});

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
  await rm(home, { recursive: true, force: true });
});

const call = { method: "tools/call", params: { name: "run_command", arguments: {} } };

describe("the link between a front and the server", () => {
  it("gives up a call that ends every server it is put to, and goes on with the others", async () => {
    let losses = 0;
    await listen({
      onMessage: ({ id, method }, socket) => {
        if (method === "tools/call") {
          losses++;
          socket.destroy();
        } else socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`);
      },
    });
    const { send, answers } = openFront();
    send({ id: 1, ...call });
    await until(async () => answers.length > 0);
    expect(losses).toBe(5);
    expect(answers[0]?.result?.content?.[0]?.text).toContain("ended 5 times in the middle of this call");
    send({ id: 2, method: "prompts/list" });
    await until(async () => answers.some(({ id, result }) => id === 2 && result !== undefined));
  });

  it("repeats a call under the same name, and passes its answer on once", async () => {
    const keys: unknown[] = [];
    await listen({
      onMessage: ({ id, params }, socket) => {
        keys.push(params?._meta?.["longhaul/call"]);
        if (keys.length === 1) {
          socket.destroy();
          return;
        }
        const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } });
        socket.write(`${answer}\n${answer}\n`);
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} })}\n`);
      },
    });
    const { send, answers } = openFront();
    send({ id: 1, ...call });
    await until(async () => answers.some(({ method }) => method === "notifications/message"));
    expect(answers.filter(({ id }) => id === 1)).toHaveLength(1);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}\/1$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it("answers calls with the sentence of a server that refuses it, each time anew", async () => {
    await listen({ welcome: { refused: "MCP_BG_MAX_JOBS must be a number." }, onMessage: () => undefined });
    const { send, answers, failures } = openFront();
    for (const id of [1, 2]) {
      send({ id, ...call });
      await until(async () => answers.some((answer) => answer.id === id));
    }
    expect(answers.map(({ result }) => result?.content?.[0]?.text)).toEqual(
      Array(2).fill("MCP_BG_MAX_JOBS must be a number."),
    );
    expect(failures[0]).toBe("MCP_BG_MAX_JOBS must be a number.");
  });

  it("withdraws what a dead server asked the client, and never confuses it with what the next one asks", async () => {
    const replies: unknown[] = [];
    let connections = 0;
    await listen({
      onMessage: ({ id, method, result }, socket) => {
        if (method === "prompts/list") {
          connections++;
          socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "elicitation/create", params: {} })}\n`);
          if (connections === 1) socket.end();
        } else if (id === 0) {
          replies.push(result);
          socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} })}\n`);
        }
      },
    });
    const { send, answers } = openFront();
    send({ id: 1, method: "prompts/list" });
    await until(async () => answers.filter(({ method }) => method === "elicitation/create").length === 2);
    const [first, second] = answers.filter(({ method }) => method === "elicitation/create");
    const withdrawn = answers.find(({ method }) => method === "notifications/cancelled");
    expect(withdrawn?.params?.["requestId"]).toBe(first?.id);
    expect(second?.id).not.toBe(first?.id);
    send({ id: first?.id, result: { action: "accept", content: "too late" } });
    send({ id: second?.id, result: { action: "decline" } });
    await until(async () => answers.some(({ id }) => id === 1));
    expect(replies).toEqual([{ action: "decline" }]);
  });

  it("has an older server stopped and started anew before anything is asked of it", async () => {
    const asked: unknown[] = [];
    await listen({
      welcome: { welcome: { version: "0.9.0", pid: 4_711, snapshot: "none" } },
      onMessage: ({ method }) => asked.push(method),
    });
    const retired: number[] = [];
    const { send, answers } = openFront({
      retireServer: ({ version, pid }) => {
        if (version === "1.0.0") return undefined;
        retired.push(pid);
        server?.close();
        return Promise.resolve();
      },
      startServer: () =>
        listen({
          onMessage: ({ id }, socket) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`),
        }),
    });
    send({ id: 1, method: "prompts/list" });
    await until(async () => answers.some(({ id, result }) => id === 1 && result !== undefined));
    expect(retired).toEqual([4_711]);
    expect(asked).toEqual([]);
  });

  it("tells the client no progress twice when a call is made again", async () => {
    let calls = 0;
    await listen({
      onMessage: ({ id }, socket) => {
        calls++;
        for (const progress of calls === 1 ? [8, 16] : [8, 24]) {
          const params = { progressToken: "p", progress };
          socket.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n`);
        }
        if (calls === 1) socket.end();
        else socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`);
      },
    });
    const { send, answers } = openFront();
    send({ id: 1, ...call, params: { ...call.params, _meta: { progressToken: "p" } } });
    await until(async () => answers.some(({ id }) => id === 1));
    const told = answers.filter(({ method }) => method === "notifications/progress");
    expect(told.map(({ params }) => params?.["progress"])).toEqual([8, 16, 24]);
  });

  it("refuses a message that is too large and a line that is none, and goes on", async () => {
    await listen({
      onMessage: ({ id }, socket) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`),
    });
    const { send, answers } = openFront();
    send({ id: 1, method: "prompts/list", params: { filler: "x".repeat(16_000_000) } });
    send({ id: 2, method: "prompts/list" });
    await until(async () => answers.some(({ id }) => id === 2));
    expect(answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([-32_600]);
  });
});
