import { McpServer } from "@modelcontextprotocol/server";
import express from "express";
import { durable } from "longhaul/mcp";
import { z } from "zod";

const mcp = new McpServer({ name: "reports", version: "1.0.0" });
const jobs = durable(mcp, { home: ".jobs" });
jobs.tool("report", {
  description: "Write a report on a topic, page by page.",
  input: z.object({ topic: z.string(), pages: z.int().min(1).max(1000).default(5) }),
  checkpoint: z.int(),
  run: async ({ topic, pages }, job) => {
    for (let page = ((await job.checkpoint.load()) ?? 0) + 1; page <= pages; page++) {
      await new Promise((resolve) => setTimeout(resolve, 100)); // The work on one page.
      await job.checkpoint.save(page);
      job.progress({ percent: (100 * page) / pages, message: `Page ${page} on ${topic}` });
    }
    const answer = await job.ask("Publish it?", { publish: z.boolean() });
    return `${pages} pages on ${topic}, ${answer?.publish ? "published" : "kept as a draft"}`;
  },
});

// Says now what is wrong, and goes on with what was interrupted.
await jobs.start();
const app = express();
app.use(express.json());
app.all("/mcp", jobs.http().listener);
const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/mcp`);
});
