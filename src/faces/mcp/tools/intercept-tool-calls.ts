import { isInputRequiredResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { CallToolRequest, ListToolsResult, McpServer, Result, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { WaitUntil } from "../../../engine/wait.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { readActivity } from "../tasks/activity.ts";
import type { JobsConnection } from "../connection.ts";
import type { JobTool, ToolCall } from "./job-tool.ts";
import { stripControls } from "../../../text/controls.ts";
import { cleanAnswer } from "./clean-text.ts";
import { toolError } from "../tasks/outcome.ts";
import { parseArguments } from "./parse-arguments.ts";
import { toCreatedTask, toLegacyTask } from "../tasks/job-to-task.ts";
import { declaresTasks, missingTasks } from "../protocol/protocol-names.ts";
import { waitForJobs } from "./wait-with-progress.ts";
import { engineForCall } from "./keyed-engine.ts";
import { sayStatus } from "../../../job/status-words.ts";

type Handler = (...args: unknown[]) => unknown;
type ListHandler = (request: unknown, context: ServerContext) => ListToolsResult | Promise<ListToolsResult>;
type CallHandler = (request: CallToolRequest, context: ServerContext) => Result | Promise<Result>;

/** Whatever is answered, by whichever profile, holds no control characters: neither a model nor its client's terminal is to obey them. */
function withCleanAnswers(handler: Handler): Handler {
  return async (...args) => {
    try {
      return cleanAnswer(await handler(...args));
    } catch (error) {
      if (error instanceof Error) error.message = stripControls(error.message);
      throw error;
    }
  };
}

/**
 * Stands in front of the server's own `tools/call`. Inside that handler every error becomes a result and a task would fail
 * the check of the tool's output schema, so what starts jobs is decided out here. To be called before the first tool is registered.
 */
export function installGate(
  mcp: McpServer,
  connection: JobsConnection,
  tools: ReadonlyMap<string, JobTool>,
  aliases: ReadonlyMap<string, string>,
): void {
  const { server } = mcp;
  const original = server.setRequestHandler.bind(server) as (...args: unknown[]) => void;
  const shadow = (method: string, ...rest: unknown[]): void => {
    const [handler] = rest;
    const all =
      typeof handler !== "function"
        ? rest
        : method === "tools/call"
          ? [withAliases(createGate(handler as CallHandler, connection, tools), aliases)]
          : method === "tools/list"
            ? [withListedOutputs(handler as ListHandler, connection, tools)]
            : rest;
    original(method, ...all.map((part) => (typeof part === "function" ? withCleanAnswers(part as Handler) : part)));
  };
  Object.assign(server, { setRequestHandler: shadow });
}

/**
 * A result must fit the schema that is listed for it, and a client without tasks may get a job id instead: so only who declares
 * tasks is told what a tool returns. Clients of older revisions decide with each call, so they are told of tools alone that run
 * only as tasks.
 */
function withListedOutputs(
  inner: ListHandler,
  { era }: JobsConnection,
  tools: ReadonlyMap<string, JobTool>,
): ListHandler {
  return async (request, context) => {
    const listed = await inner(request, context);
    if (era === "modern" && declaresTasks(context)) return listed;
    return {
      ...listed,
      tools: listed.tools.map(({ outputSchema, ...tool }) =>
        outputSchema === undefined || tools.get(tool.name)?.taskSupport === "optional"
          ? tool
          : { ...tool, outputSchema },
      ),
    };
  };
}

/** Other names under which tools are called, though they are listed under one. */
function withAliases(gate: CallHandler, aliases: ReadonlyMap<string, string>): CallHandler {
  return (request, context) => {
    const name = aliases.get(request.params.name) ?? request.params.name;
    return gate({ ...request, params: { ...request.params, name } }, context);
  };
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
    const engine = engineForCall(connection.engine, context);
    return callJobTool(tool, request, { ...connection, engine, context }, connection, wantsTask);
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
    const args: unknown = parseArguments(tool, request.params.arguments);
    const actor = wantsFolder(tool, args) ? await connection.actorFor(call.context) : call.actor;
    const started = await tool.start(args, { ...call, actor });
    if (isInputRequiredResult(started)) return started;
    const startedWhen = tool.startedWhen?.(args);
    const { job, isReached } = await waitForStart(
      started,
      startedWhen ?? "question",
      tool.waitMs(args, wantsTask),
      call,
    );
    const isAnswered = isTerminal(job.state) || (startedWhen !== undefined && isReached);
    // A client of the older revision that asked for a task gets one, however quick the job was.
    if (wantsTask && (connection.era === "legacy" || !isAnswered)) return await presentTask(job, connection);
    if (isTerminal(job.state)) return await connection.present(tool, job);
    return tool.presentOpen === undefined ? presentHandle(job) : await tool.presentOpen(job, call, args);
  } catch (error) {
    if (error instanceof LonghaulError) return toolError(`${error.code}: ${error.message}`);
    throw error;
  }
}

/** It takes a folder, and the call names none. */
function wantsFolder({ input: checked, listedInput: input = checked }: JobTool, args: unknown): boolean {
  return input instanceof z.ZodObject && "cwd" in input.shape && (args as { cwd?: unknown }).cwd === undefined;
}

async function waitForStart(
  job: Job,
  until: WaitUntil,
  waitMs: number,
  call: ToolCall,
): Promise<{ job: Job; isReached: boolean }> {
  if (waitMs <= 0) return { job, isReached: false };
  const { jobs, isReached } = await waitForJobs([job.id], { until, timeoutMs: waitMs }, call, call.context);
  return { job: jobs[0] ?? job, isReached };
}

async function presentTask(job: Job, connection: JobsConnection): Promise<Result> {
  const activity = await readActivity(job, connection);
  if (connection.era === "modern") return toCreatedTask(job, Date.now(), activity);
  // The empty content is what lets this pass as a tool's result, which the older revision checks it to be.
  return { task: toLegacyTask(job, Date.now(), activity), content: [] };
}

function presentHandle({ id, state }: Job): Result {
  return {
    content: [{ type: "text", text: `Job ${id} ${sayStatus(state.status)} in the background.` }],
    structuredContent: { job_id: id, status: state.status },
  };
}

function hasTaskParameter({ params }: CallToolRequest): boolean {
  return (params as { task?: unknown }).task !== undefined;
}

function unsupported(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, message);
}
