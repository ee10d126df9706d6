import { serve } from "@hono/node-server";
import { McpServer } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { durable } from "longhaul/mcp";
import { z } from "zod";

const mcp = new McpServer({ name: "reports", version: "1.0.0" });
const jobs = durable(mcp, { home: ".jobs" });

// Each chapter is a job of its own, that can be seen, cancelled and retried.
const chapter = jobs.tool("chapter", {
  description: "Write one chapter.",
  input: z.object({ topic: z.string(), number: z.int() }),
  run: async ({ topic, number }) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return `Chapter ${number} on ${topic}`;
  },
});

jobs.tool("report", {
  description: "Write a report on a topic, chapter by chapter.",
  input: z.object({ topic: z.string(), pages: z.int().min(1).max(100).default(5) }),
  run: async ({ topic, pages }, job) => {
    for (let number = 1; number <= pages; number++) {
      // A run that is resumed finds the chapters that it has started before, by their keys.
      const id = await job.spawn({ kind: chapter.name, input: { topic, number }, key: `chapter-${number}` });
      await job.childEnd(id);
      job.progress({ percent: (100 * number) / pages, message: `Chapter ${number} on ${topic}` });
    }
    const answer = await job.ask("Publish it?", { publish: z.boolean() });
    return `${pages} pages on ${topic}, ${answer?.publish ? "published" : "kept as a draft"}`;
  },
});

await jobs.start();
const { fetch } = jobs.http();
const app = new Hono().all("/mcp", (context) => fetch(context.req.raw));
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/mcp`);
});
