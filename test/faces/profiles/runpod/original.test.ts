import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFakeAccount } from "../../../kinds/endpoint/fake-account.ts";
import { FakeRunpod } from "../../../kinds/endpoint/fake-runpod.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";
import { playScenario, scenarios, type Answer } from "./scenarios.ts";

/** What `@runpod/mcp-server` 4.0.0 answered on the same platform; recorded by naming its dist/stdio.mjs in this variable. */
const original = process.env["LONGHAUL_RUNPOD_ORIGINAL"];
const goldenOf = (what: string): string => join(import.meta.dirname, "golden", `runpod-mcp-server-4.0.0-${what}.json`);
const readGolden = (what: string): unknown => JSON.parse(readFileSync(goldenOf(what), "utf8"));
const writeGolden = (what: string, content: unknown): void =>
  writeFileSync(goldenOf(what), `${JSON.stringify(content, null, 2)}\n`);

/** What we say besides: a stream comes with the whole status of its job. */
const additions: Readonly<Record<string, readonly string[]>> = {
  "stream-job": ["id", "output", "delayTime", "executionTime", "workerId"],
  "cancel-job": ["output", "delayTime", "executionTime", "workerId"],
};

const titles = Object.keys(scenarios);

describe("the profile runpod beside RunPod's own server", () => {
  let home = "";
  let platform: FakeRunpod;
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "longhaul-runpod-"));
    platform = await FakeRunpod.start();
    server = await serveBuilt(home, platform.variables);
    client = new Client({ name: "drop-in", version: "0.0.0" });
    await client.connect(openTransport({ ...server, url: `${server.url}/runpod` }, "http", server.token));
  });
  beforeEach(() => reset(platform));
  afterAll(async () => {
    await client.close();
    await server.stop();
    await platform.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("has its tools with their parameters", async () => {
    const ours = await readTools(client);
    expect(ours.map(({ name }) => name).toSorted()).toEqual(toolNames.toSorted());
    const theirs = (readGolden("tools") as typeof ours).toSorted((one, other) => one.name.localeCompare(other.name));
    expect(ours.toSorted((one, other) => one.name.localeCompare(other.name))).toMatchObject(theirs);
  });

  it.each(titles)("answers as it does, field by field: %s", { timeout: 120_000 }, async (title) => {
    const recorded = (readGolden("answers") as Record<string, Answer[]>)[title] ?? [];
    const answers = await play(client, platform, title);
    expect(answers.map(({ tool }) => tool)).toEqual(recorded.map(({ tool }) => tool));
    for (const [index, { tool, isError, reply }] of recorded.entries()) {
      const ours = answers[index];
      expect({ index, ...ours }).toMatchObject({ index, tool, isError, reply });
      const added = Object.keys(ours?.reply ?? {}).filter((field) => !(field in reply));
      expect(added.filter((field) => additions[tool]?.includes(field) !== true)).toEqual([]);
    }
  });
});

describe.runIf(original !== undefined)("RunPod's own server", () => {
  it("answers on our platform, and what it says is kept", { timeout: 600_000 }, async () => {
    const platform = await FakeRunpod.start();
    const client = new Client({ name: "recorder", version: "0.0.0" });
    const env = { PATH: process.env["PATH"] ?? "", ...platform.variables };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [original ?? ""], env }));
    const answers: Record<string, Answer[]> = {};
    for (const title of titles) {
      reset(platform);
      answers[title] = await play(client, platform, title);
    }
    writeGolden("answers", answers);
    const tools = await readTools(client);
    expect(tools).toHaveLength(toolNames.length);
    writeGolden("tools", tools);
    await client.close();
    await platform.close();
  });
});

const toolNames = [
  "list-endpoints",
  "list-endpoint-workers",
  "stream-worker-logs",
  "list-public-endpoints",
  "run-endpoint",
  "runsync-endpoint",
  "get-job-status",
  "stream-job",
  "cancel-job",
  "retry-job",
  "endpoint-health",
  "purge-endpoint-queue",
];

/** Tools as programs see them: what they take, without the words for it. */
async function readTools(client: Client): Promise<{ name: string; inputSchema: unknown }[]> {
  const { tools } = await client.listTools();
  return tools
    .filter(({ name }) => toolNames.includes(name))
    .map(({ name, inputSchema }) => ({ name, inputSchema: withoutWords(inputSchema) }));
}

/** A number that is whole is one, and what an object takes besides is not said alike. */
function withoutWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (typeof schema !== "object" || schema === null) return schema;
  const { description: _description, additionalProperties: _more, ...rest } = schema as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, withoutWords(inner)]));
}

function play(client: Client, platform: FakeRunpod, title: string): Promise<Answer[]> {
  const scenario = scenarios[title];
  if (scenario === undefined) throw new Error(`no scenario "${title}"`);
  return playScenario(client, platform, scenario);
}

function reset(platform: FakeRunpod): void {
  platform.jobs.clear();
  platform.onSubmit = () => undefined;
  platform.fault = () => false;
  platform.account = createFakeAccount();
}
