import { describe, expect, it } from "vitest";
import { useMcpWorld, type McpWorld } from "./world.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bad", version: "0.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

interface Answer {
  readonly status: number;
  readonly body: { readonly error?: { readonly code: number; readonly message: string }; readonly result?: unknown };
}

async function post(
  { url }: McpWorld,
  method: string,
  params: Record<string, unknown>,
  { headers = {}, body, _meta = meta }: { headers?: Record<string, string>; body?: string; _meta?: object } = {},
): Promise<Answer> {
  const name = params["name"] ?? params["taskId"];
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: "Bearer ada-token",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...headers,
    },
    body: body ?? JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const data = text.startsWith("event:") || text.includes("\ndata: ") ? /^data: (.*)$/m.exec(text)?.[1] : text;
  return { status: response.status, body: parse(data ?? "") };
}

function parse(text: string): Answer["body"] {
  try {
    return JSON.parse(text) as Answer["body"];
  } catch {
    return {};
  }
}

describe("bad requests over HTTP are refused with the right code, and create nothing", () => {
  const world = useMcpWorld();
  const count = async (): Promise<number> => (await world().engine.list()).jobs.length;

  it.each<{ headers: Record<string, string>; status: number }>([
    { headers: { authorization: "" }, status: 401 },
    { headers: { authorization: "Bearer wrong" }, status: 401 },
    { headers: { origin: "https://evil.example" }, status: 403 },
    { headers: { origin: "null" }, status: 403 },
  ])("a request with $headers is answered with $status", async ({ headers, status }) => {
    const answer = await post(world(), "tools/call", { name: "slow_compute", arguments: { seconds: 0 } }, { headers });
    expect(answer.status).toBe(status);
    expect(await count()).toBe(0);
  });

  it("a body that is too large is answered with 413", async () => {
    const body = JSON.stringify({ padding: "x".repeat(5_000_000) });
    expect((await post(world(), "tools/call", {}, { body })).status).toBe(413);
  });

  it("another content type is answered with 415", async () => {
    const answer = await post(world(), "tools/list", {}, { headers: { "content-type": "text/plain" } });
    expect(answer.status).toBe(415);
  });

  it("a header that contradicts the body is answered with -32020", async () => {
    const params = { name: "slow_compute", arguments: { seconds: 0 } };
    const answer = await post(world(), "tools/call", params, { headers: { "mcp-name": "other" } });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32_020 } } });
    expect(await count()).toBe(0);
  });

  it("a task method without the extension is answered with -32021, before the id is looked up", async () => {
    const _meta = { ...meta, "io.modelcontextprotocol/clientCapabilities": {} };
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const answer = await post(world(), method, { taskId: "nonsense" }, { _meta });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: -32_021 } } });
    }
  });

  it("methods that this revision does not have are answered with -32601", async () => {
    for (const method of ["tasks/list", "tasks/result", "no/such"]) {
      const answer = await post(world(), method, { taskId: "x" });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: -32_601 } } });
    }
  });

  it("an unknown tool is answered with -32602", async () => {
    const answer = await post(world(), "tools/call", { name: "no_such_tool", arguments: {} });
    expect(answer.body.error?.code).toBe(-32_602);
  });

  it("arguments of the wrong type are a result that says what was expected", async () => {
    const answer = await post(world(), "tools/call", { name: "slow_compute", arguments: { seconds: "many" } });
    expect(answer.body.result).toMatchObject({
      isError: true,
      content: [{ text: 'invalid_input: seconds must be a number, got "many".' }],
    });
    expect(await count()).toBe(0);
  });

  it("another owner's session looks like none", async () => {
    const { url } = world();
    const send = (token: string, session?: string): Promise<Response> =>
      fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(session === undefined ? {} : { "mcp-session-id": session }),
        },
        body: JSON.stringify(
          session === undefined
            ? {
                jsonrpc: "2.0",
                id: 1,
                method: "initialize",
                params: {
                  protocolVersion: "2025-11-25",
                  capabilities: {},
                  clientInfo: { name: "old", version: "0.0.0" },
                },
              }
            : { jsonrpc: "2.0", id: 2, method: "tools/list" },
        ),
      });
    const opened = await send("ada-token");
    await opened.text();
    const session = opened.headers.get("mcp-session-id") ?? "";
    expect((await send("bob-token", session)).status).toBe(404);
    expect((await send("ada-token", "no-such-session")).status).toBe(404);
    const own = await send("ada-token", session);
    expect(own.status).toBe(200);
    await own.body?.cancel();
  });
});
