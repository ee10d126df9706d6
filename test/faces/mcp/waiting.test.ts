import { setTimeout as delay } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildCoreServer } from "../../../src/faces/mcp/core/core-server.ts";
import { serveSocket } from "../../../src/faces/mcp/stdio.ts";
import type { Engine } from "../../../src/index.ts";
import { createMcpEndpoint, type McpEndpoint } from "../../../src/mcp.ts";
import { listenForTests, type FixtureServer } from "../../conformance/fixture-server.ts";
import { Puppet } from "../../engine/puppet.ts";
import { useWorld } from "../../engine/world.ts";
import { until } from "../../until.ts";

const facts = { version: "0.0.0", startedAt: 0, home: "", url: undefined };

/** The core profile over an engine whose time the test makes pass. */
describe("waiting through the core profile", () => {
  const world = useWorld();
  const puppet = (): Puppet => current.puppet;
  let current: { puppet: Puppet; engine: Engine; endpoint: McpEndpoint; http: FixtureServer; client: Client };
  beforeEach(async () => {
    const made = new Puppet();
    const engine = await world().openTimed([made.kind]);
    const endpoint = createMcpEndpoint({ engine, build: (context) => buildCoreServer(context, facts) });
    const http = await listenForTests(endpoint);
    const client = new Client({ name: "plain", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
    current = { puppet: made, engine, endpoint, http, client };
  });
  afterEach(async () => {
    await current.client.close();
    await current.http.close();
  });

  const start = async (): Promise<string> => {
    const { id } = await current.engine.submit({ kind: "puppet", input: {} });
    await puppet().next();
    return id;
  };

  it("waits at most 45 seconds for a client that hears no progress, and says that it did", async () => {
    const id = await start();
    const calling = current.client.callTool({ name: "job_wait", arguments: { ids: [id], timeout_s: 120 } });
    let answered: CallToolResult | undefined;
    void calling.then((result) => (answered = result));
    await passUntil(() => answered !== undefined, 44_000);
    const { structuredContent, content } = answered as CallToolResult;
    expect(structuredContent).toMatchObject({ reached: false, wait_clamped: true, jobs: [{ job_id: id }] });
    expect(content[0]).toMatchObject({
      text: expect.stringContaining("wait_clamped: waited 45 s instead of 120 s; call again to wait on."),
    });
  });

  it("does not speak of a clamp when it waited as long as it was asked to, or the job ended", async () => {
    const id = await start();
    const short = current.client.callTool({ name: "job_wait", arguments: { ids: [id], timeout_s: 5 } });
    let answered: CallToolResult | undefined;
    void short.then((result) => (answered = result));
    await passUntil(() => answered !== undefined, 4_000);
    expect(answered?.structuredContent).toEqual(expect.not.objectContaining({ wait_clamped: true }));
    const long = current.client.callTool({ name: "job_wait", arguments: { ids: [id], timeout_s: 120 } });
    puppet().attempts[0]?.succeed();
    expect((await long).structuredContent).toMatchObject({ reached: true });
    expect((await long).structuredContent).not.toHaveProperty("wait_clamped");
  });

  it("tells a client that takes progress every few seconds that the call lives, and waits longer for it", async () => {
    const id = await start();
    const heardAt: number[] = [];
    const startedAt = performance.now();
    const calling = current.client.callTool(
      { name: "job_wait", arguments: { ids: [id], timeout_s: 120 } },
      { onprogress: () => heardAt.push(performance.now() - startedAt), resetTimeoutOnProgress: true },
    );
    await until(async () => heardAt.length > 0, { timeoutMs: 15_000 });
    await world().clock.advance(60_000);
    puppet().attempts[0]?.succeed();
    const { structuredContent } = await calling;
    expect(structuredContent).toMatchObject({ reached: true, jobs: [{ status: "succeeded" }] });
  }, 30_000);

  /** Lets time pass in steps, until something holds; what it takes must be more than `leastMs`. */
  async function passUntil(holds: () => boolean, leastMs: number): Promise<void> {
    let passedMs = 0;
    // The request has to arrive before time may pass.
    await delay(200);
    while (!holds() && passedMs < 200_000) {
      await world().clock.advance(1_000);
      passedMs += 1_000;
      await delay(5);
    }
    expect(passedMs).toBeGreaterThan(leastMs);
  }

  describe("resources of jobs over subscriptions/listen", () => {
    let server: Server;
    let socket: Socket;
    const messages: { method?: string; params?: Record<string, unknown> }[] = [];
    beforeEach(async () => {
      messages.length = 0;
      server = createServer((peer) => {
        serveSocket(current.endpoint, peer, { actor: {}, isIdentified: true });
      });
      await new Promise<void>((resolve) => server.listen(join(world().home, "test.sock"), resolve));
      socket = connect(join(world().home, "test.sock"));
      createInterface({ input: socket }).on("line", (line) => messages.push(JSON.parse(line) as never));
    });
    afterEach(async () => {
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });

    const listen = async (uris: readonly string[]): Promise<void> => {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "listener", version: "0.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = { _meta: meta, notifications: { resourceSubscriptions: uris } };
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: "sub", method: "subscriptions/listen", params })}\n`);
      await until(async () => messages.length > 0);
    };
    const updates = (): unknown[] =>
      messages
        .filter(({ method }) => method === "notifications/resources/updated")
        .map(({ params }) => params?.["uri"]);

    it("tells of changes of a job and of what it writes, and of nothing else", async () => {
      const [id, other] = [await start(), await start()];
      await listen([`job://${id}`, `job://${other}/output`]);
      expect(messages[0]).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
      puppet().attempts[0]?.context.output().write("not listened to\n");
      puppet().attempts[1]?.context.output().write("hello\n");
      await until(async () => {
        await world().clock.advance(1_000);
        return updates().includes(`job://${other}/output`);
      });
      expect(updates()).not.toContain(`job://${id}`);
      puppet().attempts[0]?.succeed();
      await until(async () => {
        await world().clock.advance(1_000);
        return updates().includes(`job://${id}`);
      });
    });

    it("refuses more resources than it is ready to watch", async () => {
      const id = await start();
      await listen(Array.from({ length: 101 }, () => `job://${id}`));
      expect(messages[0]).toMatchObject({
        error: { code: -32_602, message: "At most 100 resources can be listened to." },
      });
    });
  });
});
