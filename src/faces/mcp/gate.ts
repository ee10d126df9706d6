import { isInputRequiredResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { CallToolRequest, McpServer, Result, ServerContext } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../job/error.ts";
import { parseInput } from "../../job/issue.ts";
import type { Job } from "../../job/job.ts";
import { isTerminal } from "../../job/state.ts";
import type { JobsConnection } from "./connection.ts";
import type { JobTool, ToolCall } from "./job-tool.ts";
import { toolError } from "./outcome.ts";
import { toCreatedTask, toLegacyTask } from "./project.ts";
import { declaresTasks, missingTasks } from "./protocol-names.ts";
import { waitForJobs } from "./wait-for-end.ts";

type CallHandler = (request: CallToolRequest, context: ServerContext) => Result | Promise<Result>;

/**
 * Stands in front of the server's own `tools/call`. Inside that handler every error becomes a result and a task would fail
 * the check of the tool's output schema, so what starts jobs is decided out here. To be called before the first tool is registered.
 */
export function installGate(mcp: McpServer, connection: JobsConnection, tools: ReadonlyMap<string, JobTool>): void {
  const { server } = mcp;
  const original = server.setRequestHandler.bind(server) as (...args: unknown[]) => void;
  const shadow = (method: string, ...rest: unknown[]): void => {
    const [handler] = rest;
    if (method !== "tools/call" || typeof handler !== "function") original(method, ...rest);
    else original(method, createGate(handler as CallHandler, connection, tools));
  };
  Object.assign(server, { setRequestHandler: shadow });
}

function createGate(inner: CallHandler, connection: JobsConnection, tools: ReadonlyMap<string, JobTool>): CallHandler {
  return (request, context) => {
    const { name } = request.params;
    const tool = tools.get(name);
    const wantsTask = connection.era === "modern" ? declaresTasks(context) : hasTaskParameter(request);
    if (tool === undefined) {
      if (connection.era === "legacy" && wantsTask) throw unsupported(`Tool ${name} cannot run as a task.`);
      return inner(request, context);
    }
    if (tool.taskSupport === "required" && !wantsTask) {
      throw connection.era === "modern" ? missingTasks() : unsupported(`Tool ${name} runs only as a task.`);
    }
    return callJobTool(tool, request, { ...connection, context }, connection, wantsTask);
  };
}

async function callJobTool(
  tool: JobTool,
  request: CallToolRequest,
  call: ToolCall,
  connection: JobsConnection,
  wantsTask: boolean,
): Promise<Result> {
  try {
    const args: unknown = parseInput(tool.input, request.params.arguments ?? {}, `The call of ${tool.name}`);
    const started = await tool.start(args, call);
    if (isInputRequiredResult(started)) return started;
    const job = await waitForStart(started, tool.waitMs(args, wantsTask), call);
    // A client of the older revision that asked for a task gets one, however quick the job was.
    const isTask = wantsTask && (connection.era === "legacy" || !isTerminal(job.state));
    if (isTask) return connection.era === "modern" ? toCreatedTask(job, Date.now()) : toLegacyCreated(job);
    if (isTerminal(job.state)) return await connection.present(tool, job);
    return await (tool.presentOpen ?? presentHandle)(job, call);
  } catch (error) {
    if (error instanceof LonghaulError) return toolError(`${error.code}: ${error.message}`);
    throw error;
  }
}

async function waitForStart(job: Job, waitMs: number, call: ToolCall): Promise<Job> {
  if (waitMs <= 0) return job;
  const { jobs } = await waitForJobs([job.id], { until: "question", timeoutMs: waitMs }, call, call.context);
  return jobs[0] ?? job;
}

function toLegacyCreated(job: Job): Result {
  // The empty content is what lets this pass as a tool's result, which the older revision checks it to be.
  return { task: toLegacyTask(job, Date.now()), content: [] };
}

const presentHandle: NonNullable<JobTool["presentOpen"]> = async (job) => ({
  content: [{ type: "text", text: `Job ${job.id} is ${job.state.status}; it goes on.` }],
  structuredContent: { job_id: job.id, status: job.state.status },
});

function hasTaskParameter({ params }: CallToolRequest): boolean {
  return (params as { task?: unknown }).task !== undefined;
}

function unsupported(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
