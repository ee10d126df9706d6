import { setTimeout as delay } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { coreProfile } from "../../../src/faces/profiles/core/core-profile.ts";
import { serveSocket } from "../../../src/faces/mcp/protocol/stdio.ts";
import type { Engine } from "../../../src/index.ts";
import { createMcpEndpoint, type McpEndpoint } from "../../../src/mcp.ts";
import { listenForTests, type FixtureServer } from "../../conformance/fixture-server.ts";
import { Puppet } from "../../engine/puppet.ts";
import { useWorld } from "../../engine/world.ts";
import { until } from "../../until.ts";
import { textOf } from "./reply-text.ts";
import { parts } from "../profiles/parts.ts";

/** The core profile over an engine whose time the test makes pass. */
describe("waiting through the core profile", () => {
  const world = useWorld();
  const puppet = (): Puppet => current.puppet;
  let current: { puppet: Puppet; engine: Engine; endpoint: McpEndpoint; http: FixtureServer; client: Client };
  beforeEach(async () => {
    const made = new Puppet();
    const engine = await world().openTimed([made.kind]);
    const endpoint = createMcpEndpoint({ engine, build: (context) => coreProfile.build(context, parts) });
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
    const text = textOf(answered as CallToolResult);
    expect(text).toMatch(
      /^Not yet after 45 s; the jobs go on\.\nwait_clamped: waited 45 s instead of 120 s; keep waiting with job_wait\.\n/,
    );
    expect(text).toContain(`job ${id} running`);
  });

  it("does not speak of a clamp when it waited as long as it was asked to, or the job ended", async () => {
    const id = await start();
    const short = current.client.callTool({ name: "job_wait", arguments: { ids: [id], timeout_s: 5 } });
    let answered: CallToolResult | undefined;
    void short.then((result) => (answered = result));
    await passUntil(() => answered !== undefined, 4_000);
    expect(textOf(answered as CallToolResult)).not.toContain("wait_clamped");
    const long = current.client.callTool({ name: "job_wait", arguments: { ids: [id], timeout_s: 120 } });
    puppet().attempts[0]?.succeed();
    expect(textOf(await long)).toMatch(new RegExp(`^job ${id} succeeded`));
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
    expect(textOf(await calling)).toMatch(new RegExp(`^job ${id} succeeded`));
  }, 30_000);

  it("waits at most 240 seconds, whatever the client says about progress", async () => {
    const id = await start();
    const calling = current.client.callTool(
      { name: "job_wait", arguments: { ids: [id], timeout_s: 3_600 } },
      { onprogress: () => undefined, resetTimeoutOnProgress: true },
    );
    let answered: CallToolResult | undefined;
    void calling.then((result) => (answered = result));
    await passUntil(() => answered !== undefined, 239_000);
    expect(textOf(answered as CallToolResult)).toContain("wait_clamped: waited 240 s instead of 3600 s");
  }, 30_000);

  /** Lets time pass in steps, until something holds; what it takes must be more than `leastMs`. */
  async function passUntil(holds: () => boolean, leastMs: number): Promise<void> {
    let passedMs = 0;
    const { waiting } = world().clock;
    // The request has to arrive before time may pass.
    await until(() => world().clock.waiting > waiting);
    while (!holds() && passedMs < 400_000) {
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
