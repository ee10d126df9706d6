import { McpServer } from "@modelcontextprotocol/server";
import { durable } from "longhaul/mcp";
import { z } from "zod";

const mcp = new McpServer({ name: "reports", version: "1.0.0" });
const jobs = durable(mcp, { home: ".jobs" });

jobs.tool("report", {
  description: "Write a report on a topic, page by page.",
  input: z.object({ topic: z.string(), pages: z.int().min(1).max(1000).default(5) }),
  checkpoint: z.object({ written: z.array(z.string()) }),
  run: async ({ topic, pages }, job) => {
    const { written } = (await job.checkpoint.load()) ?? { written: [] };
    while (written.length < pages) {
      await new Promise((resolve) => setTimeout(resolve, 200)); // The work on one page.
      written.push(`Page ${written.length + 1} on ${topic}`);
      await job.checkpoint.save({ written });
      job.progress({ percent: (100 * written.length) / pages, message: written.at(-1) });
    }
    const answer = await job.ask("Publish it?", { publish: z.boolean() });
    return `${written.length} pages on ${topic}, ${answer?.publish ? "published" : "kept as a draft"}`;
  },
});

await jobs.serveStdio();
