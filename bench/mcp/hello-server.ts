import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const inputSchema = z.object({ name: z.string() });

export function createHelloServer(): McpServer {
  const mcp = new McpServer({ name: "hello", version: "1.0.0" });
  mcp.registerTool("hello", { description: "Say hello", inputSchema }, ({ name }) => ({
    content: [{ type: "text", text: `Hello, ${name}!` }],
  }));
  return mcp;
}
