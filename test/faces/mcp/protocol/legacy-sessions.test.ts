import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it } from "vitest";
import type { Actor } from "../../../../src/engine/access.ts";
import { createMcpEndpoint, serveJobs, type McpEndpoint } from "../../../../src/mcp.ts";
import { until } from "../../../until.ts";
import { useMcpWorld } from "../world.ts";

async function open(from: McpEndpoint, actor: Actor = {}): Promise<string> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "0.0.0" } };
  const response = await from.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    }),
    { actor, isIdentified: true },
  );
  await response.text();
  return response.headers.get("mcp-session-id") ?? `status ${response.status}`;
}

describe("sessions of older clients", () => {
  const world = useMcpWorld();
  let endpoint: McpEndpoint | undefined;
  afterEach(() => endpoint?.close());

  function create(limits: { sessionIdleMs?: number; maxSessions?: number; serverName?: string }): McpEndpoint {
    endpoint = createMcpEndpoint({
      engine: world().engine,
      ...limits,
      build: (context) => {
        const mcp = new McpServer({ name: "test", version: "0.0.0" });
        serveJobs(mcp, context);
        return mcp;
      },
    });
    return endpoint;
  }

  it("end when nobody has used them for a while", async () => {
    const short = create({ sessionIdleMs: 100 });
    await open(short);
    expect(short.open().sessions).toBe(1);
    await until(async () => short.open().sessions === 0);
  });

  it("have ids that begin with the server's name, where it has one", async () => {
    expect(await open(create({ serverName: "b2" }))).toMatch(/^b2-[\da-f]{8}-/);
  });

  it("are as many as allowed; then the one that was idle for longest makes room", async () => {
    const small = create({ maxSessions: 2 });
    const ids = [await open(small), await open(small), await open(small)];
    expect(new Set(ids).size).toBe(3);
    expect(small.open().sessions).toBe(2);
  });

  it("of one token make room for each other, and never for those of somebody else", async () => {
    const small = create({ maxSessions: 8 });
    const ada: Actor = { owner: "ada", scope: "read", by: "ada (mcp)" };
    const bob: Actor = { owner: "bob", scope: "read", by: "bob (mcp)" };
    const bobs = await open(small, bob);
    const adas: string[] = [];
    for (let count = 0; count < 20; count++) adas.push(await open(small, ada));
    expect(small.open().sessions).toBe(3);
    const end = (id: string, actor: Actor): Promise<Response> => {
      const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-06-18" };
      return small.fetch(new Request("http://127.0.0.1/mcp", { method: "DELETE", headers }), {
        actor,
        isIdentified: true,
      });
    };
    expect((await end(adas[0] ?? "", ada)).status).toBe(404);
    expect((await end(bobs, bob)).status).toBe(200);
  });
});
