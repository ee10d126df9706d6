import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { LonghaulError } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import { createActorFor, type ActorFor } from "./protocol/client-root.ts";
import type { JobsConnection, JobsContext } from "./connection.ts";
import { installGate } from "./tools/intercept-tool-calls.ts";
import { defineJobTool, type JobTool, type JobToolDefinition, type Presenter } from "./tools/job-tool.ts";
import { LegacyPushes } from "./tasks/legacy-pushes.ts";
import { presentPlainly, toolError } from "./tasks/outcome.ts";
import { tasksExtension } from "./protocol/protocol-names.ts";
import { installLegacyTasks } from "./tasks/tasks-legacy.ts";
import { installTasks } from "./tasks/tasks-modern.ts";
import { markSeen } from "./tools/mark-seen.ts";
import { toFullToolSchema, toToolSchema } from "./tools/tool-schema.ts";

export interface JobServer {
  /** Registers a tool whose calls start jobs of a kind. */
  readonly registerTool: <Input extends z.ZodType>(definition: JobToolDefinition<Input>) => void;
  readonly addTool: (tool: JobTool) => void;
  readonly actorFor: ActorFor;
}

export interface ServeJobsOptions {
  /** Shows finished jobs whose tool does not say how. */
  readonly present?: Presenter;
  /** Names under which tools may also be called, each with the one that is listed. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/**
 * Gives an MCP server durable tasks: calls of its job tools become jobs, and jobs are tasks, in both revisions of the protocol
 * that know them. To be called before any other tool is registered.
 */
export function serveJobs(mcp: McpServer, context: JobsContext, options: ServeJobsOptions = {}): JobServer {
  const tools = new Map<string, JobTool>();
  const byKind = new Map<string, JobTool>();
  const fallback = options.present ?? presentPlainly;
  const present = (tool: JobTool | undefined, job: Job): Promise<CallToolResult> => {
    markSeen([job], context);
    return ((tool ?? byKind.get(job.kind))?.present ?? fallback)(job, context);
  };
  const actorFor = createActorFor(mcp, context);
  const connection: JobsConnection = { ...context, present, actorFor };
  installGate(mcp, connection, tools, new Map(Object.entries(options.aliases ?? {})));
  if (context.era === "modern") {
    mcp.server.registerCapabilities({ extensions: { [tasksExtension]: {} } });
    installTasks(mcp, connection);
  } else {
    installLegacyTasks(mcp, connection, new LegacyPushes(mcp, connection));
  }
  context.onServed?.(connection);
  const addTool = (tool: JobTool): void => {
    if (!context.engine.kinds.some(({ name }) => name === tool.kind)) throw unknownKind(tool, context);
    tools.set(tool.name, tool);
    if (!byKind.has(tool.kind)) byKind.set(tool.kind, tool);
    if (!context.isTaskRequest) registerTool(mcp, tool);
  };
  return { addTool, actorFor, registerTool: (definition) => addTool(defineJobTool(definition)) };
}

function unknownKind({ name, kind }: JobTool, { engine }: JobsContext): LonghaulError {
  const known = engine.kinds.map((one) => one.name).join(", ");
  return new LonghaulError("unknown_kind", `The tool "${name}" is for jobs of kind "${kind}"; known kinds: ${known}.`);
}

function registerTool(mcp: McpServer, tool: JobTool): void {
  const { title, description, annotations, output, meta, isListedInFull } = tool;
  const toSchema = isListedInFull === true ? toFullToolSchema : toToolSchema;
  const registered = mcp.registerTool(
    tool.name,
    {
      description,
      inputSchema: toSchema(tool.listedInput ?? tool.input),
      title,
      annotations,
      outputSchema: output === undefined ? undefined : toSchema(output),
      _meta: meta,
    },
    () => toolError("The gate answers this tool."),
  );
  registered.execution = { taskSupport: tool.taskSupport };
}
