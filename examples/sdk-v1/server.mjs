import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { durable } from "longhaul/mcp";
import { z } from "zod";

// A server on the first SDK, with a tool of its own, stays as it is.
const mcp = new McpServer({ name: "reports", version: "1.0.0" });
mcp.registerTool("hello", { description: "Say hello.", inputSchema: { name: z.string() } }, async ({ name }) => ({
  content: [{ type: "text", text: `Hello, ${name}!` }],
}));

const jobs = durable(mcp, { home: ".jobs", prefix: "reports_" });
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

await jobs.serveStdio();
