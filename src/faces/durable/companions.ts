import type { CallToolResult, ContentBlock, McpServer } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../job/error.ts";
import { isJobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import { describeJob } from "../../operations/job.ts";
import type { ServerFacts } from "../../operations/operation.ts";
import { readBackgroundJobSettings } from "../../config/background-job.ts";
import type { JobsContext } from "../mcp/connection.ts";
import type { JobServer } from "../mcp/serve-jobs.ts";
import { presentPlainly, toolError } from "../mcp/tasks/outcome.ts";
import type { JobAccess } from "../mcp/tools/job-tool.ts";
import { engineForCall } from "../mcp/tools/keyed-engine.ts";
import { markSeen } from "../mcp/tools/mark-seen.ts";
import { cancelTool, getTool } from "../profiles/core/manage-tools.ts";
import { outputTool } from "../profiles/core/output-tool.ts";
import { replyTo } from "../profiles/core/reply.ts";
import { sendTool } from "../profiles/core/send-tool.ts";
import { waitTool } from "../profiles/core/wait-tool.ts";
import { registerTool, type CallContext, type Tool } from "../profiles/profile.ts";

const companions = [getTool, waitTool, outputTool, sendTool, cancelTool] as const;

export const companionNames: readonly string[] = companions.map(({ name }) => name);

interface CompanionParts {
  readonly prefix: string;
  readonly server: ServerFacts;
  readonly context: JobsContext;
  readonly jobs: JobServer;
}

/** The tools by which a client without tasks finds its jobs again, under a prefix if the author wants one. */
export function registerCompanions(front: McpServer, { prefix, server, context, jobs }: CompanionParts): void {
  const backgroundJob = readBackgroundJobSettings({});
  for (const tool of companions) {
    const named = { ...tool, name: `${prefix}${tool.name}`, call: withWholeIds(tool, prefix) };
    registerTool(front, named, { toResult: (result) => result, toError }, (request) => ({
      engine: engineForCall(context.engine, request),
      actor: context.actor,
      server,
      backgroundJob,
      signal: request.mcpReq.signal,
      request,
      actorInFolder: () => jobs.actorFor(request),
    }));
  }
}

/** The answer of a start that takes longer than its client waits: where the job stands, and the next call. */
export function createOpenPresenter(prefix: string, server: ServerFacts) {
  return async (job: Job, access: JobAccess): Promise<CallToolResult> =>
    withPrefix(await replyTo([await describeJob(job, { ...access, server })], access), prefix);
}

/**
 * Ids are what tells one client from another here, so nothing shorter finds a job. A single job that has ended is shown as its own
 * tool would have shown it.
 */
function withWholeIds(tool: Tool<CallToolResult>, prefix: string): Tool<CallToolResult>["call"] {
  return async (context, args) => {
    const ids = idsIn(args);
    const wrong = ids.find((id) => !isJobId(id));
    if (wrong !== undefined) throw new LonghaulError("not_found", `There is no job ${wrong}: give its whole id.`);
    const result = await tool.call(context, args);
    const [only] = ids;
    const ended =
      ids.length === 1 && only !== undefined && tool !== outputTool ? await readEnded(only, context) : undefined;
    return ended ?? withPrefix(result, prefix);
  };
}

function idsIn(args: unknown): string[] {
  const { id, ids } = (args ?? {}) as { id?: unknown; ids?: unknown };
  return [id, ids].flat().filter((one): one is string => typeof one === "string");
}

async function readEnded(id: string, { engine, actor }: CallContext): Promise<CallToolResult | undefined> {
  const job = await engine.get(id, actor);
  if (job.state.status !== "succeeded" || !isTerminal(job.state)) return undefined;
  markSeen([job], { engine, actor });
  return presentPlainly(job, { engine, actor });
}

/** In our own lines alone: what others wrote stays as it is. */
function withPrefix(result: CallToolResult, prefix: string): CallToolResult {
  if (prefix === "") return result;
  const name = (line: string): string =>
    /^(next|wait_clamped): /.test(line)
      ? line.replaceAll(/\bjob_(?=get|wait|output|send|cancel)/g, `${prefix}job_`)
      : line;
  const content = result.content.map((block): ContentBlock =>
    block.type === "text" ? { ...block, text: block.text.split("\n").map(name).join("\n") } : block,
  );
  return { ...result, content };
}

function toError(error: unknown): CallToolResult {
  if (error instanceof LonghaulError) return toolError(`${error.code}: ${error.message}`);
  throw error;
}
