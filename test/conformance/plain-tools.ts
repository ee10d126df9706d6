import { setTimeout as sleep } from "node:timers/promises";
import { fromJsonSchema, type CallToolResult, type McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { pngBase64, wavBase64 } from "./image.ts";

const text = (content: string): CallToolResult => ({ content: [{ type: "text", text: content }] });
const none = z.object({});

const richSchema = fromJsonSchema({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
});

const headerSchema = fromJsonSchema({
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } as { type: "string" } },
  required: ["region"],
});

/** Tools that the suite expects of any server, and that have nothing to do with jobs. */
export function registerPlainTools(mcp: McpServer): void {
  const image = { type: "image", data: pngBase64, mimeType: "image/png" } as const;
  const answers: Record<string, CallToolResult> = {
    test_simple_text: text("This is a simple text response for testing."),
    test_image_content: { content: [image] },
    test_audio_content: { content: [{ type: "audio", data: wavBase64, mimeType: "audio/wav" }] },
    test_embedded_resource: {
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        },
      ],
    },
    test_multiple_content_types: {
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 }),
          },
        },
      ],
    },
  };
  for (const [name, answer] of Object.entries(answers)) {
    mcp.registerTool(name, { description: `Answers with ${name}` }, () => answer);
  }
  mcp.registerTool("greet", { description: "Greet", inputSchema: z.object({ name: z.string() }) }, ({ name }) =>
    text(`Hello, ${name}!`),
  );
  mcp.registerTool("test_error_handling", { description: "Always fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  mcp.registerTool("json_schema_2020_12_tool", { description: "Rich schema", inputSchema: richSchema }, () =>
    text("ok"),
  );
  mcp.registerTool("test_x_mcp_header", { description: "Mirrors a header", inputSchema: headerSchema }, () =>
    text("ok"),
  );
  registerLiveTools(mcp);
}

const logging = async (_args: unknown, { mcpReq }: ServerContext): Promise<CallToolResult> => {
  for (const step of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await mcpReq.log("info", step);
    await sleep(50);
  }
  return text("logged");
};

function registerLiveTools(mcp: McpServer): void {
  mcp.registerTool("test_tool_with_logging", { description: "Logs thrice", inputSchema: none }, logging);
  mcp.registerTool("test_logging_tool", { description: "Logs if asked to", inputSchema: none }, logging);
  mcp.registerTool(
    "test_tool_with_progress",
    { description: "Reports progress", inputSchema: none },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken: progressToken ?? 0, progress, total: 100 };
        if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
        await sleep(50);
      }
      return text("done");
    },
  );
  mcp.registerTool(
    "test_reconnection",
    { description: "Closes its stream before it answers", inputSchema: none },
    async (_args, { http }) => {
      http?.closeSSE?.();
      await sleep(100);
      return text("answered after the stream was closed");
    },
  );
}
