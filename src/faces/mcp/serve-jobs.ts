import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Job } from "../../job/job.ts";
import type { JobsConnection, JobsContext } from "./connection.ts";
import { installGate } from "./gate.ts";
import { defineJobTool, type JobTool, type JobToolDefinition, type Presenter } from "./job-tool.ts";
import { LegacyPushes } from "./legacy-pushes.ts";
import { endMessage, presentPlainly, toolError } from "./outcome.ts";
import { tasksExtension } from "./protocol-names.ts";
import { installLegacyTasks } from "./tasks-legacy.ts";
import { installTasks } from "./tasks-modern.ts";
import { toToolSchema } from "./tool-schema.ts";

export interface JobServer {
  /** Registers a tool whose calls start jobs of a kind. */
  readonly registerTool: <Input extends z.ZodType>(definition: JobToolDefinition<Input>) => void;
  readonly addTool: (tool: JobTool) => void;
}

export interface ServeJobsOptions {
  /** Shows finished jobs whose tool does not say how. */
  readonly present?: Presenter;
}

/**
 * Gives an MCP server durable tasks: calls of its job tools become jobs, and jobs are tasks, in both revisions of the protocol
 * that know them. To be called before any other tool is registered.
 */
export function serveJobs(mcp: McpServer, context: JobsContext, options: ServeJobsOptions = {}): JobServer {
  const tools = new Map<string, JobTool>();
  const byKind = new Map<string, JobTool>();
  const fallback = options.present ?? presentPlainly;
  const present = async (tool: JobTool | undefined, job: Job): Promise<CallToolResult> => {
    const presenter = (tool ?? byKind.get(job.kind))?.present ?? fallback;
    const isShown = job.state.status === "succeeded" || presenter === fallback;
    return isShown ? presenter(job, context) : toolError(endMessage(job));
  };
  const connection: JobsConnection = { ...context, present };
  installGate(mcp, connection, tools);
  if (context.era === "modern") {
    mcp.server.registerCapabilities({ extensions: { [tasksExtension]: {} } });
    installTasks(mcp, connection);
  } else {
    installLegacyTasks(mcp, connection, new LegacyPushes(mcp, connection));
  }
  context.onServed?.(connection);
  const addTool = (tool: JobTool): void => {
    tools.set(tool.name, tool);
    if (!byKind.has(tool.kind)) byKind.set(tool.kind, tool);
    if (!context.isTaskRequest) registerTool(mcp, tool);
  };
  return { addTool, registerTool: (definition) => addTool(defineJobTool(definition)) };
}

function registerTool(mcp: McpServer, tool: JobTool): void {
  const { title, description, annotations, output } = tool;
  const registered = mcp.registerTool(
    tool.name,
    {
      description,
      inputSchema: toToolSchema(tool.input),
      ...(title === undefined ? {} : { title }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(output === undefined ? {} : { outputSchema: toToolSchema(output) }),
    },
    () => toolError("The gate answers this tool."),
  );
  registered.execution = { taskSupport: tool.taskSupport };
}
