import { McpServer } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../job/error.ts";
import { defined } from "../../job/defined.ts";
import type { ServerFacts } from "../../operations/operation.ts";
import type { JobsContext } from "../mcp/connection.ts";
import { serveJobs } from "../mcp/serve-jobs.ts";
import { companionNames, registerCompanions } from "./companions.ts";
import type { DurableDefinition } from "./durable-tool.ts";
import type { InnerServer } from "./inner-server.ts";
import { mirror } from "./mirror.ts";

interface FrontParts {
  readonly inner: InnerServer;
  readonly definitions: readonly DurableDefinition[];
  readonly server: ServerFacts;
  /** Before the names of the companion tools; undefined for none of them. */
  readonly prefix: string | undefined;
  readonly onBuilt?: (front: McpServer, context: JobsContext) => void;
}

/** What one client talks to: the author's own tools and the durable ones, as one server. */
export function createFrontBuilder(parts: FrontParts): (context: JobsContext) => Promise<McpServer> {
  const { inner, definitions, server, prefix, onBuilt } = parts;
  return async (context) => {
    const { serverInfo, instructions } = inner.words;
    const front = new McpServer(serverInfo, defined({ instructions }));
    const jobs = serveJobs(front, context);
    for (const { tool } of definitions) jobs.addTool(tool);
    if (context.isTaskRequest) return front;
    if (prefix !== undefined) registerCompanions(front, { prefix, server, context, jobs });
    mirror(front, inner, await inner.tools());
    onBuilt?.(front, context);
    return front;
  };
}

/** Two tools of one name would be a riddle for every client: an error before the first of them comes. */
export async function checkNames({ inner, definitions, prefix }: FrontParts): Promise<void> {
  const taken = new Set(prefix === undefined ? [] : companionNames.map((name) => `${prefix}${name}`));
  for (const { name } of [...definitions, ...(await inner.tools())]) {
    if (taken.has(name)) {
      const hint = companionNames.some((companion) => name === `${prefix ?? ""}${companion}`)
        ? ": choose a prefix for the companion tools (prefix), or none of them (companions: false)"
        : "";
      throw new LonghaulError("conflict", `Two tools are named "${name}"${hint}.`);
    }
    taken.add(name);
  }
}
