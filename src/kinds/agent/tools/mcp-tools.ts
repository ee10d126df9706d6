import type { Client } from "@modelcontextprotocol/client";
import { messageOf } from "../../../job/failure.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { AgentTool } from "./agent-tool.ts";

type McpServer =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** MCP servers whose tools every agent gets, by the name that those begin with. */
export type McpServers = Readonly<Record<string, McpServer>>;

const longestAnswer = 50_000;
const callTimeoutMs = 600_000;

/** Connects to the configured servers; one that does not answer is told of, and left out. */
export async function openMcpTools(
  servers: McpServers,
  { signal, onProblem }: { signal: AbortSignal; onProblem: (problem: string) => void },
): Promise<{ tools: AgentTool[]; close: () => Promise<void> }> {
  const clients: Client[] = [];
  const opening = Object.entries(servers).map(async ([name, server]) => {
    try {
      const client = await connect(server, signal);
      clients.push(client);
      const { tools } = await client.listTools(undefined, { signal });
      return tools.map((tool) => toAgentTool(name, tool, client));
    } catch (error) {
      onProblem(`The MCP server "${name}" cannot be used: ${messageOf(error)}`);
      return [];
    }
  });
  const tools = (await Promise.all(opening)).flat();
  return { tools, close: async () => void (await Promise.allSettled(clients.map((client) => client.close()))) };
}

async function connect(server: McpServer, signal: AbortSignal): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "longhaul-agent", version: "1" });
  if ("url" in server) {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { ...server.headers } },
    });
    await client.connect(transport, { signal });
    return client;
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { command, args, env, cwd } = server;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    stderr: "ignore",
    cwd,
  });
  await client.connect(transport, { signal });
  return client;
}

type ListedTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

function toAgentTool(server: string, tool: ListedTool, client: Client): AgentTool {
  const isReader = tool.annotations?.readOnlyHint === true;
  return {
    name: `${server}_${tool.name}`.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64),
    description: (tool.description ?? tool.name).slice(0, 2_000),
    parameters: tool.inputSchema,
    changes: isReader ? undefined : "other",
    isReader: () => isReader,
    isUnrepeatable: !isReader,
    brief: (input) => JSON.stringify(input ?? {}),
    preview: (input) => JSON.stringify(input ?? {}),
    run: async (input, { job }) => {
      const call = { name: tool.name, arguments: (input ?? {}) as Record<string, unknown> };
      const options = { signal: job.signal, timeout: callTimeoutMs, onprogress: () => job.touch() };
      const { content, isError } = await client.callTool(call, { ...options, resetTimeoutOnProgress: true });
      const text = content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
      if (isError === true) throw new LonghaulError("conflict", text.slice(0, longestAnswer) || "It failed.");
      return text.length > longestAnswer ? `${text.slice(0, longestAnswer)}\n[cut]` : text;
    },
    verify: async () => undefined,
  };
}
