import { connect } from "node:net";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { createMcpEndpoint, serveJobs } from "../../../../src/mcp.ts";
import { until } from "../../../until.ts";
import { useMcpWorld, type McpWorld } from "../world.ts";

const subscriptionId = "io.modelcontextprotocol/subscriptionId";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown> & { readonly _meta?: Record<string, unknown> };
  readonly result?: { readonly resultType?: string };
  readonly error?: { readonly code: number; readonly data?: unknown };
}

interface Listener {
  readonly messages: readonly Message[];
  readonly leave: () => void;
}

function listenRequest(id: string, taskIds: readonly string[], hasTasks = true): Record<string, unknown> {
  const extensions = hasTasks ? { "io.modelcontextprotocol/tasks": {} } : {};
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "listener", version: "0.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { extensions },
  };
  return { jsonrpc: "2.0", id, method: "subscriptions/listen", params: { _meta: meta, notifications: { taskIds } } };
}

async function listenOverHttp({ url }: McpWorld, request: Record<string, unknown>): Promise<Listener> {
  const messages: Message[] = [];
  const gone = new AbortController();
  const response = await fetch(url, {
    method: "POST",
    signal: gone.signal,
    headers: {
      authorization: "Bearer ada-token",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify(request),
  });
  if (response.headers.get("content-type")?.startsWith("application/json") === true) {
    messages.push((await response.json()) as Message);
    return { messages, leave: () => undefined };
  }
  const read = async (): Promise<void> => {
    let rest = "";
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      const frames = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = frames.pop() ?? "";
      const data = frames.flatMap((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? []);
      messages.push(...data.map((text) => JSON.parse(text) as Message));
    }
  };
  void read().catch(() => undefined);
  return { messages, leave: () => gone.abort() };
}

async function listenOverStdio({ home }: McpWorld, request: Record<string, unknown>): Promise<Listener> {
  const messages: Message[] = [];
  const socket = connect(join(home, "mcp.sock"));
  const hello = { version: "0.0.0", cwd: home, env: {} };
  const lines = createInterface({ input: socket });
  lines.once("line", () => lines.on("line", (line) => messages.push(JSON.parse(line) as Message)));
  socket.write(`${JSON.stringify({ hello })}\n${JSON.stringify(request)}\n`);
  return { messages, leave: () => socket.destroy() };
}

function statuses({ messages }: Listener): unknown[] {
  return messages.filter(({ method }) => method === "notifications/tasks").map(({ params }) => params?.["status"]);
}

describe.each([
  { wire: "http", listen: listenOverHttp },
  { wire: "stdio", listen: listenOverStdio },
])("listening to tasks over $wire", ({ wire, listen }) => {
  const world = useMcpWorld();

  it("is acknowledged first, with the ids that the listener may see, and then sends a snapshot of each", async () => {
    const { engine } = world();
    const mine = await engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "ada" });
    const foreign = await engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "bob" });
    const unknown = "01a1e15f-0000-7000-8000-000000000000";
    const listener = await listen(world(), listenRequest("sub-1", [mine.id, foreign.id, unknown]));
    await until(async () => listener.messages.length >= 2);
    const [ack, snapshot] = listener.messages;
    expect(ack).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { taskIds: [mine.id] }, _meta: { [subscriptionId]: "sub-1" } },
    });
    expect(snapshot).toMatchObject({
      method: "notifications/tasks",
      params: { taskId: mine.id, status: "working", _meta: { [subscriptionId]: "sub-1" } },
    });
    expect(snapshot?.params).not.toHaveProperty("resultType");
    listener.leave();
  });

  it("tells of a question, of its answer and of the end, each as tasks/get would", async () => {
    const { engine } = world();
    const job = await engine.submit({ kind: "confirm_delete", input: { filename: "a" }, owner: "ada" });
    const listener = await listen(world(), listenRequest("sub-2", [job.id]));
    await until(async () => statuses(listener).includes("input_required"));
    await engine.answer(job.id, "confirm", { action: "accept", content: { confirm: true } });
    await until(async () => statuses(listener).includes("completed"));
    const last = listener.messages.at(-1);
    expect(last?.params).toMatchObject({
      status: "completed",
      result: { resultType: "complete", content: [{ type: "text", text: "deleted a" }] },
    });
    const asked = listener.messages.find(({ params }) => params?.["status"] === "input_required");
    expect(asked?.params?.["inputRequests"]).toMatchObject({ confirm: { method: "elicitation/create" } });
    listener.leave();
  });

  it("tells of a task that had ended before", async () => {
    const { engine } = world();
    const job = await engine.submit({ kind: "slow_compute", input: { seconds: 0 }, owner: "ada" });
    await engine.wait(job.id);
    const listener = await listen(world(), listenRequest("sub-3", [job.id]));
    await until(async () => statuses(listener).length > 0);
    expect(statuses(listener)).toEqual(["completed"]);
    listener.leave();
  });

  it("is refused to a client that does not take tasks", async () => {
    const { engine } = world();
    const job = await engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "ada" });
    const listener = await listen(world(), listenRequest("sub-4", [job.id], false));
    await until(async () => listener.messages.length > 0);
    expect(listener.messages[0]?.error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
    });
    listener.leave();
  });

  it("leaves nothing open behind a client that vanished", async () => {
    const { engine, endpoint } = world();
    const job = await engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "ada" });
    const listener = await listen(world(), listenRequest("sub-5", [job.id]));
    await until(async () => listener.messages.length >= 2);
    expect(wire === "http" ? endpoint.open().streams : endpoint.open().connections).toBe(1);
    listener.leave();
    await until(async () => endpoint.open().streams === 0 && endpoint.open().connections === 0);
  });

  it("ends with a result when the server closes", async () => {
    if (wire === "stdio") return;
    const { engine, endpoint } = world();
    const job = await engine.submit({ kind: "slow_compute", input: { seconds: 60 }, owner: "ada" });
    const listener = await listen(world(), listenRequest("sub-6", [job.id]));
    await until(async () => listener.messages.length >= 2);
    await endpoint.close();
    await until(async () => listener.messages.at(-1)?.id === "sub-6");
    expect(listener.messages.at(-1)?.result?.resultType).toBe("complete");
  });
});

describe("streams of listeners", () => {
  const world = useMcpWorld();

  it("are never all of one token's", async () => {
    const endpoint = createMcpEndpoint({
      engine: world().engine,
      maxStreams: 8,
      build: (context) => {
        const mcp = new McpServer({ name: "test", version: "0.0.0" });
        serveJobs(mcp, context);
        return mcp;
      },
    });
    const listen = async (id: string, owner: string): Promise<string | null> => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      };
      const body = JSON.stringify(listenRequest(id, []));
      const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, body });
      const actor = { owner, scope: "read", by: `${owner} (mcp)` } as const;
      return (await endpoint.fetch(request, { actor, isIdentified: true })).headers.get("content-type");
    };
    const types: (string | null)[] = [];
    for (const id of ["1", "2", "3"]) types.push(await listen(id, "ada"));
    types.push(await listen("4", "bob"));
    expect(types).toEqual(["text/event-stream", "text/event-stream", "application/json", "text/event-stream"]);
    await endpoint.close();
    expect(endpoint.open().streams).toBe(0);
  });
});
