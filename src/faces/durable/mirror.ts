import type { CallToolResult, McpServer, Result, ServerContext } from "@modelcontextprotocol/server";
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { InnerServer, ListedTool } from "./inner-server.ts";

/** The methods of each capability that are handed on as they are. */
const forwarded = {
  resources: [
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
  ],
  prompts: ["prompts/list", "prompts/get"],
  completions: ["completion/complete"],
  logging: ["logging/setLevel"],
} as const;

/** Offers on one connection what the author's own server has. Names that are taken are for the durable tools. */
export function mirror(front: McpServer, inner: InnerServer, tools: readonly ListedTool[]): void {
  const { capabilities } = inner.words;
  for (const [capability, methods] of Object.entries(forwarded)) {
    const declared = capabilities[capability];
    if (declared === undefined) continue;
    front.server.registerCapabilities({ [capability]: declared });
    for (const method of methods) {
      if (method.endsWith("subscribe") && declared["subscribe"] !== true) continue;
      const handler = ({ params = {} }: { params?: object }, context: ServerContext): Promise<Result> =>
        inner.request(method, params, context);
      front.server.setRequestHandler(method, handler as never);
    }
  }
  for (const tool of tools) registerTool(front, inner, tool);
}

function registerTool(front: McpServer, inner: InnerServer, tool: ListedTool): void {
  const { name, inputSchema, outputSchema, title, description, annotations, icons, _meta } = tool as ListedTool & {
    readonly outputSchema?: Record<string, unknown>;
  };
  const config = {
    title,
    description,
    annotations,
    icons,
    _meta,
    inputSchema: asListed(inputSchema),
    outputSchema: outputSchema === undefined ? undefined : asListed(outputSchema),
  };
  const call = async (args: unknown, context: ServerContext): Promise<CallToolResult> => {
    const { _meta: meta } = context.mcpReq;
    const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
    return (await inner.request("tools/call", params, context)) as CallToolResult;
  };
  (front.registerTool as Register)(name, config, call);
}

type Register = (name: string, config: object, call: (args: unknown, context: ServerContext) => unknown) => unknown;

/** The author's server checks the arguments itself. */
function asListed(json: Record<string, unknown>): StandardSchemaWithJSON<Record<string, unknown>> {
  return {
    "~standard": {
      version: 1,
      vendor: "longhaul",
      validate: (value) => ({ value: (value ?? {}) as Record<string, unknown> }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}
