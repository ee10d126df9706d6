import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../until.ts";
import { openTransport } from "../../mcp/official-client.ts";
import { serveBuilt, type TestServer } from "../../mcp/server-process.ts";

/**
 * What mcp-background-job 0.1.2 itself answered, as it was recorded on a machine beside ours: ids are `$name` and times `$time`. Where we
 * answer something else on purpose, `ours` is that, and `why` the reason.
 */
interface Recorded {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The name of the job that the call starts. */
  readonly starts?: string;
  /** Variables of the server, and the commands that run on it already. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  readonly original: CallToolResult;
  readonly ours?: CallToolResult;
  readonly why?: string;
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.json`), "utf8");
const recorded = JSON.parse(read("original-calls")) as readonly Recorded[];

describe("the tools of mcp-background-job", () => {
  let home = "";
  let server: TestServer | undefined;
  let client: Client;
  let ids: Map<string, string>;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "longhaul-original-"));
    ids = new Map();
  });
  afterEach(async () => {
    await client.close();
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  });

  async function open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    server = await serveBuilt(home, { MCP_BG_WORKING_DIR: home, ...settings });
    client = new Client({ name: "drop-in", version: "0.0.0" });
    await client.connect(openTransport({ ...server, url: `${server.url}/background-job` }, "http", server.token));
  }
  async function call(tool: string, given: Readonly<Record<string, unknown>> = {}): Promise<CallToolResult> {
    const args = Object.entries(given).map(([name, value]) => [name, ids.get(String(value)) ?? value]);
    const result = await client.callTool({
      name: tool,
      arguments: Object.fromEntries(args) as Record<string, unknown>,
    });
    return result;
  }
  /** The answer in the form that is recorded. */
  async function answer({ tool, arguments: args, starts }: Recorded): Promise<CallToolResult> {
    const { content, isError = false, structuredContent } = await call(tool, args);
    if (starts !== undefined) ids.set(starts, (structuredContent as { job_id: string }).job_id);
    let text = JSON.stringify({ content, isError, structuredContent });
    for (const [name, id] of ids) text = text.replaceAll(id, name);
    const named = text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "$time")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, "$id");
    return inOrder(JSON.parse(named) as CallToolResult);
  }
  /** Until nothing runs but what waits for input. */
  async function settle(): Promise<void> {
    await until(async () => {
      const { structuredContent } = await call("list_jobs");
      const { jobs } = structuredContent as { jobs: { status: string }[] };
      return jobs.filter(({ status }) => status === "running").length === 1;
    });
  }

  it("are listed in its order with its names, titles, texts and schemas, and with the words of a kill", async () => {
    await open();
    const { tools } = await client.listTools();
    const listed = tools.map(({ name, title, description, inputSchema, outputSchema = { type: "object" } }) => {
      const schemas = { inputSchema: withoutDialect(inputSchema), outputSchema: withoutDialect(outputSchema) };
      return { name, title, description, ...schemas };
    });
    // Ours are of another version.
    const original = JSON.parse(read("original-tools").replaceAll("UUID v4", "UUID")) as typeof listed;
    const { status } = (original.at(-1)?.outputSchema["properties"] ?? {}) as { status: Record<string, unknown> };
    status["enum"] = ["killed", "already_terminated", "not_found"];
    expect(listed).toEqual(original);
  });

  it("answer every call, in every state and with every error, as it did or as is said", async () => {
    await open();
    const steps = recorded.filter(({ settings }) => settings === undefined);
    for (const [index, step] of steps.entries()) {
      const expected = inOrder(step.ours ?? step.original);
      let got: CallToolResult | undefined;
      const isAsExpected = async (): Promise<boolean> => {
        got = await answer(step);
        return JSON.stringify(sorted(got)) === JSON.stringify(sorted(expected));
      };
      if (steps[index - 1]?.starts !== undefined && step.starts === undefined) await settle();
      // What comes of an input may take longer than it looks for it.
      if (step.tool === "interact_with_job" && expected.isError !== true) await until(isAsExpected);
      else await isAsExpected();
      expect({ ...step, got }).toEqual({ ...step, got: expected });
    }
  });

  it.each(recorded.filter(({ settings }) => settings !== undefined))(
    "refuse $arguments with the settings $settings as it did",
    async ({ settings, before = [], ...step }) => {
      await open({ ...settings, MCP_BG_STRICT: "1" });
      for (const command of before) await call("execute_command", { command });
      expect(await answer(step)).toEqual(step.ours ?? step.original);
    },
  );
});

/** Jobs that began in the same moment are listed in any order. */
function inOrder(result: CallToolResult): CallToolResult {
  const { jobs } = (result.structuredContent ?? {}) as { jobs?: { job_id: string }[] };
  if (jobs === undefined) return result;
  const listed = { jobs: jobs.toSorted((one, other) => (one.job_id < other.job_id ? -1 : 1)) };
  return { ...result, content: [{ type: "text", text: JSON.stringify(listed) }], structuredContent: listed };
}

function sorted({ content, isError, structuredContent }: CallToolResult): unknown {
  const [first] = content;
  return [first?.type === "text" ? first.text : first, isError, structuredContent];
}

function withoutDialect({ $schema: _dialect, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
}
