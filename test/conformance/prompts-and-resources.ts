import { acceptedContent, inputRequired, ResourceTemplate, type McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { pngBase64 } from "./image.ts";

export function registerResources(mcp: McpServer, era: "modern" | "legacy"): void {
  const plain = (name: string, text: string): void => {
    const uri = `test://${name}`;
    const described = { description: `The ${name} resource`, mimeType: "text/plain" };
    mcp.registerResource(name, uri, described, () => ({ contents: [{ uri, mimeType: "text/plain", text }] }));
  };
  plain("static-text", "This is the content of the static text resource.");
  plain("watched-resource", "This is watched.");
  mcp.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "A picture", mimeType: "image/png" },
    ({ href }) => ({ contents: [{ uri: href, mimeType: "image/png", blob: pngBase64 }] }),
  );
  mcp.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Data by id", mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  mcp.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
  if (era === "modern") return;
  mcp.server.setRequestHandler("resources/subscribe", () => ({}));
  mcp.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

const says = (text: string): { role: "user"; content: { type: "text"; text: string } } => ({
  role: "user",
  content: { type: "text", text },
});

export function registerPrompts(mcp: McpServer): void {
  mcp.registerPrompt("test_simple_prompt", { description: "Simple" }, () => ({
    messages: [says("This is a simple prompt for testing.")],
  }));
  mcp.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  mcp.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
          },
        },
        says("Please process the embedded resource above."),
      ],
    }),
  );
  mcp.registerPrompt("test_prompt_with_image", { description: "With a picture" }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: pngBase64, mimeType: "image/png" } },
      says("Please analyze the image above."),
    ],
  }));
  mcp.registerPrompt("test_input_required_result_prompt", { description: "Asks first" }, ({ mcpReq }) => {
    const answer = acceptedContent<{ context: string }>(mcpReq.inputResponses, "user_context");
    if (answer !== undefined) return { messages: [says(`In the context of ${answer.context}.`)] };
    return inputRequired({
      inputRequests: {
        user_context: inputRequired.elicit({
          message: "What context should the prompt use?",
          requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
        }),
      },
    });
  });
  mcp.server.registerCapabilities({ completions: {} });
  mcp.server.setRequestHandler("completion/complete", () => ({ completion: { values: [], hasMore: false } }));
}
