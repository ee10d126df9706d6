import { CLIENT_CAPABILITIES_META_KEY, type McpServer, type ServerContext } from "@modelcontextprotocol/server";
import type { JobsContext } from "../connection.ts";
import { declaresApps } from "../protocol/apps.ts";

export const cardUri = "ui://longhaul/job";
export const cardType = "text/html;profile=mcp-app";
/** The card loads nothing from anywhere. */
export const cardMeta = { ui: { csp: {}, prefersBorder: true } };

/** Called by the card alone: models are not shown it. */
export const cardTool = "job_card";

interface ListedTool {
  readonly name: string;
  readonly _meta?: object;
}

/**
 * Has the tools about one job listed with their card, for clients that can show it; others are told nothing
 * of it. To be called before any tool is registered.
 */
export function listCards(mcp: McpServer, context: JobsContext, isAboutJob: (tool: string) => boolean): void {
  const { server } = mcp;
  const original = server.setRequestHandler.bind(server) as (...args: unknown[]) => void;
  const withCards = async (listed: { tools: ListedTool[] }, request: ServerContext): Promise<object> => {
    const envelope = request.mcpReq.envelope as Record<string, unknown> | undefined;
    // The newest revision says with each request what the client can do.
    const capabilities =
      context.era === "modern" ? envelope?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
    if (!declaresApps(capabilities)) return { ...listed, tools: listed.tools.filter(({ name }) => name !== cardTool) };
    const ui = { resourceUri: cardUri };
    const tools = listed.tools.map((tool) => {
      if (tool.name === cardTool) return { ...tool, _meta: { ...tool._meta, ui: { visibility: ["app"] } } };
      if (!isAboutJob(tool.name)) return tool;
      // The second name is from before the extension was settled.
      return { ...tool, _meta: { ...tool._meta, ui, "ui/resourceUri": cardUri } };
    });
    return { ...listed, tools };
  };
  const shadow = (method: string, handler: unknown, ...rest: unknown[]): void => {
    if (method !== "tools/list" || typeof handler !== "function") return original(method, handler, ...rest);
    const list = handler as (request: unknown, extra: ServerContext) => Promise<{ tools: ListedTool[] }>;
    original(method, async (request: unknown, extra: ServerContext) => withCards(await list(request, extra), extra));
  };
  Object.assign(server, { setRequestHandler: shadow });
}
