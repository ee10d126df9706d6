import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { profiles } from "../../../src/config/profiles.ts";
import { FakeModels } from "../../kinds/agent/fake-models.ts";
import { until } from "../../until.ts";
import { openTransport, type Wire } from "../mcp/official-client.ts";
import { frontIn, serveBuilt, type TestServer } from "../mcp/server-process.ts";
import { program } from "../mcp/world.ts";

type Reply = Record<string, unknown>;

const echo = `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, input } = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id, output: input }) + "\\n");
}`;

describe("several profiles over one connection", () => {
  let home = "";
  let site: Server;
  let url = "";
  let models: FakeModels;
  let server: TestServer;
  const clients: Client[] = [];
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-several-"));
    models = await FakeModels.open();
    site = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>One</title><main>One page.</main>");
    });
    await new Promise<void>((resolve) => {
      site.listen(0, "127.0.0.1", resolve);
    });
    const { port } = site.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    writeFileSync(join(home, "echo.mjs"), echo);
    const local = { type: "local", argv: [process.execPath, join(home, "echo.mjs")], mode: "warm", cwd: home };
    const config = { endpoints: { local }, net: { allow: [`127.0.0.1:${port}`] } };
    writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    server = await serveBuilt(home, { OPENAI_BASE_URL: models.url, OPENAI_API_KEY: "sk-secret-of-openai-1234" });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await server.stop();
    await models.close();
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
    rmSync(home, { recursive: true, force: true });
  });

  async function connect(names: string, wire: Wire = "http", env: Record<string, string> = {}): Promise<Client> {
    const client = new Client({ name: "several", version: "0.0.0" });
    clients.push(client);
    const front = frontIn(home);
    const place = {
      url: `${server.url}/${names}`,
      front: { ...front, args: [program, "mcp", "--profile", names], env: { ...front.env, ...env } },
    };
    await client.connect(openTransport(place, wire, server.token));
    return client;
  }
  const toolNames = async (client: Client): Promise<string[]> =>
    (await client.listTools()).tools.map(({ name }) => name);
  const textOf = ({ content: [first] }: CallToolResult): string => (first?.type === "text" ? first.text : "");

  it.each(["http", "stdio"] as const)(
    "the status tools of the five replaced servers each tell of a job of theirs (%s)",
    async (wire) => {
      models.script("gpt-6-sol", { text: "the answer" });
      const client = await connect("all", wire);
      const call = async (name: string, args: Reply): Promise<Reply> => {
        const result = await client.callTool({ name, arguments: args });
        expect({ name, text: textOf(result), isError: result.isError ?? false }).toMatchObject({ isError: false });
        return JSON.parse(textOf(result)) as Reply;
      };
      const untilStatus = (
        name: string,
        args: Reply,
        statusOf: (reply: Reply) => unknown,
        words: string[],
      ): Promise<void> =>
        until(async () => words.includes(String(statusOf(await call(name, args)))), { timeoutMs: 100_000 });
      const shell = await call("execute_command", { command: "echo hi" });
      await untilStatus("get_job_status", { job_id: shell["job_id"] }, ({ status }) => status, ["completed"]);
      const run = await call("run-endpoint", { endpointId: "local", input: { say: "hi" } });
      const runArgs = { endpointId: "local", jobId: run["id"] };
      await untilStatus("get-job-status", runArgs, ({ status }) => status, ["COMPLETED"]);
      const page = await call("page.analyze", { url, async: true });
      const pageArgs = { job_id: page["jobId"] ?? page["job_id"] };
      const pageStatus = ({ data }: Reply): unknown => (data as Reply | undefined)?.["status"];
      // How the analysis ends depends on whether there is a browser.
      await untilStatus("page.getJobStatus", pageArgs, pageStatus, ["waiting", "active", "completed", "failed"]);
      const task = await call("run_task", { task: "answer", model: "gpt-6-sol" });
      await untilStatus("check_task_status", { task_id: task["task_id"] }, ({ status }) => status, ["completed"]);
      const crawl = await call("crawl", { url, max_pages: 1 });
      await untilStatus("job_status", { job_id: crawl["job_id"] }, ({ status }) => status, ["completed"]);
    },
    300_000,
  );

  it("all is every profile, core first; over HTTP and over stdio the same", async () => {
    const names = await toolNames(await connect("all"));
    expect(names).toEqual(await toolNames(await connect("all", "stdio")));
    const single = [];
    for (const profile of profiles) single.push(...(await toolNames(await connect(profile))));
    expect(names.toSorted()).toEqual(single.toSorted());
    expect(names[0]).toBe("run_command");
  });

  it("tools and errors stay those of their profile", async () => {
    const client = await connect("searchclaw,background-job,runpod");
    const texts = [];
    for (const [name, args] of [
      ["get_job_status", { job_id: "nope" }],
      ["get-job-status", { endpointId: "local", jobId: "nope" }],
      ["job_status", { job_id: "nope" }],
      ["status", { job_id: "nope" }],
    ] as const) {
      texts.push(textOf(await client.callTool({ name, arguments: args })));
    }
    expect(texts).toEqual([
      "Job nope not found",
      expect.stringContaining("Runpod runtime API error (404)"),
      expect.stringMatching(/^SearchClaw API error 404: /),
      "Job nope not found",
    ]);
    expect(await client.listTools()).toEqual(await (await connect("background-job%2Crunpod,searchclaw")).listTools());
  });

  it("settings of the client hold for each of them", async () => {
    const client = await connect("runpod,background-job", "stdio", { MCP_BG_ALLOWED_COMMANDS: "^echo" });
    const refused = await client.callTool({ name: "execute_command", arguments: { command: "ls" } });
    expect(textOf(refused)).toBe("Invalid command: Command not in allowed patterns: ls");
    // What the server answers first is kept for the next front, also of a combination.
    expect(existsSync(join(home, "snapshots", "background-job,runpod.json"))).toBe(true);
  });

  it("the prompts of mcp-task go before those of core, which are the same in other words", async () => {
    const client = await connect("core,mcp-task");
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["solve", "plan", "code"]);
    expect(JSON.stringify(await client.getPrompt({ name: "code" }))).toContain("run_task");
  });

  it("a name that is no profile is refused in one sentence", async () => {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const response = await fetch(`${server.url}/core,nonsense`, { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(/^The profiles are core, .* and all, .*; got "nonsense"\.$/) as string },
    });
  });
});

describe("the listed schemas of every profile", () => {
  let home = "";
  let server: TestServer;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-schemas-"));
    server = await serveBuilt(home, { RUNPOD_API_KEY: "rpa_never_used" });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it.each(["legacy", "auto"] as const)(
    "bound no number by what every number is, and name the words of a status (%s)",
    async (mode) => {
      const client = new Client({ name: "schemas", version: "0.0.0" }, { versionNegotiation: { mode } });
      await client.connect(openTransport({ ...server, url: `${server.url}/all` }, "http", server.token));
      const { tools } = await client.listTools();
      await client.close();
      expect(tools.length).toBeGreaterThan(50);
      for (const { name, inputSchema, outputSchema } of tools) {
        expect(JSON.stringify([name, inputSchema, outputSchema])).not.toContain("9007199254740991");
        for (const [field, schema] of fieldsOf([inputSchema, outputSchema])) {
          // A switch that tells whether a status is wanted has no words.
          if (!/(^|_)stat(e|us)(es|_filter)?$/i.test(field) || isSwitch(schema)) continue;
          expect({ name, field, words: wordsOf(schema) }).toEqual({
            name,
            field,
            words: expect.any(Array) as string[],
          });
        }
      }
    },
  );
});

/** Every named field in a schema, with what is said of it. */
function fieldsOf(node: unknown): [string, Reply][] {
  if (typeof node !== "object" || node === null) return [];
  const { properties = {} } = node as { properties?: Record<string, Reply> };
  return [...Object.entries(properties), ...Object.values(node).flatMap(fieldsOf)];
}

function wordsOf({ enum: words, items }: Reply): unknown {
  return words ?? (items as Reply | undefined)?.["enum"];
}

function isSwitch({ type }: Reply): boolean {
  return type === "boolean";
}
