import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { McpServer as FirstMcpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  defineKind,
  openEngine,
  type Failure,
  type JobEnd,
  type JobOf,
  type Json,
  type TypedEngine,
} from "../src/index.ts";
import { createMcpEndpoint, durable, serveJobs } from "../src/mcp.ts";
import { useEach } from "./use-each.ts";

const report = defineKind({
  name: "report",
  onInterrupt: "resume",
  input: z.object({ topic: z.string(), pages: z.int().default(1) }),
  result: z.object({ text: z.string() }),
  checkpoint: z.object({ page: z.int() }),
  run: async ({ topic, pages }, job) => {
    expectTypeOf(pages).toEqualTypeOf<number>();
    const checkpoint = await job.checkpoint.load();
    expectTypeOf(checkpoint).toEqualTypeOf<{ page: number } | undefined>();
    await job.checkpoint.save({ page: (checkpoint?.page ?? 0) + 1 });
    // @ts-expect-error a checkpoint is what its schema says
    const wrong = (): Promise<void> => job.checkpoint.save({ pages: 1 });
    await expect(wrong()).rejects.toThrow("page");
    return { text: `${pages} pages on ${topic}` };
  },
});

const world = useEach(
  async () => {
    const home = await mkdtemp(join(tmpdir(), "longhaul-types-"));
    return { home, engine: await openEngine({ home, kinds: [report] }) };
  },
  async ({ home, engine }) => {
    await engine.stop();
    await rm(home, { recursive: true });
  },
);

describe("the types of the library", () => {
  it("follow a kind from its schema to the result that is waited for", async () => {
    const { engine } = world();
    const job = await engine.submit(report, { topic: "tides" }, { name: "first" });
    expectTypeOf(job).toEqualTypeOf<JobOf<{ text: string }>>();
    const end = await engine.wait(job, { timeoutMs: 30_000 });
    if (end.status !== "succeeded") throw new Error(`the job is ${end.status}`);
    expectTypeOf(end.result).toEqualTypeOf<{ text: string }>();
    expect([end.result, job.name]).toEqual([{ text: "1 pages on tides" }, "first"]);
    expectTypeOf(await engine.result(job)).toEqualTypeOf<{ text: string }>();
    expectTypeOf(await engine.result(job.id)).toEqualTypeOf<Json>();
    type Failed = Extract<JobEnd<{ text: string }>, { status: "failed" | "timed_out" }>;
    expectTypeOf<Failed["failure"]>().toEqualTypeOf<Failure>();
  });

  it("refuse a submit that does not fit, as the engine does", async () => {
    const { engine } = world();
    // @ts-expect-error the topic is missing
    await expect(engine.submit(report, {})).rejects.toThrow("topic");
    // @ts-expect-error a topic is a text
    await expect(engine.submit(report, { topic: 7 })).rejects.toThrow("topic");
    // @ts-expect-error there is no such option
    await expect(engine.submit(report, { topic: "tides" }, { titel: "x" })).rejects.toThrow("titel");
    expectTypeOf<TypedEngine["wait"]>().toBeFunction();
  });

  it("follow a durable tool, and let servers of both SDKs have them", () => {
    const { home } = world();
    const first = durable(new FirstMcpServer({ name: "a", version: "1" }), { home });
    const second = durable(new McpServer({ name: "a", version: "1" }), { home });
    const kind = second.tool("count", {
      description: "Count.",
      input: z.object({ to: z.int() }),
      output: z.object({ sum: z.int() }),
      run: async ({ to }, job) => {
        const answer = await job.ask("How many?", { number: z.int(), exact: z.boolean().optional() });
        expectTypeOf(answer).toEqualTypeOf<{ number: number; exact?: boolean | undefined } | undefined>();
        return { sum: to };
      },
    });
    const submit = (engine: TypedEngine): Promise<JobOf<{ sum: number }>> => engine.submit(kind, { to: 3 });
    expectTypeOf(submit).returns.resolves.toEqualTypeOf<JobOf<{ sum: number }>>();
    const wrong = (): unknown =>
      first.tool("wrong", {
        description: "Wrong.",
        input: z.object({}),
        output: z.object({ sum: z.int() }),
        // @ts-expect-error a sum is a number
        run: async () => ({ sum: "three" }),
      });
    expect(wrong).not.toThrow();
  });
});

describe("what is wrong with a server of one's own", () => {
  it("is an error at the start when a tool is for a kind that there is not", () => {
    const { engine } = world();
    const build = (context: Parameters<typeof serveJobs>[1]): McpServer => {
      const mcp = new McpServer({ name: "a", version: "1" });
      serveJobs(mcp, context).registerTool({
        name: "x",
        description: "x",
        inputSchema: z.object({}),
        kind: "nowhere",
      });
      return mcp;
    };
    expect(() => createMcpEndpoint({ engine, build })).toThrow(
      'The tool "x" is for jobs of kind "nowhere"; known kinds: report.',
    );
  });

  it("is said of a durable tool that waits for ever, takes no object, or comes too late", async () => {
    const { home } = world();
    const jobs = durable(new McpServer({ name: "a", version: "1" }), { home: join(home, "durable") });
    const tool = { description: "x", input: z.object({}), run: async () => "x" };
    expect(() => jobs.tool("x", { ...tool, inlineMs: Infinity })).toThrow("must be from 0 to 240000, got Infinity");
    expect(() => jobs.tool("x", { ...tool, input: z.string() })).toThrow("must be a Zod 4 schema of an object");
    await jobs.start();
    expect(() => jobs.tool("x", tool)).toThrow("comes too late");
    await jobs.stop();
    const twice = durable(new McpServer({ name: "a", version: "1" }), { home: join(home, "twice") });
    twice.tool("job_get", tool);
    await expect(twice.start()).rejects.toThrow('Two tools are named "job_get": choose a prefix');
  });
});
