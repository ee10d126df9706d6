import { McpServer, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { BackgroundJobSettings } from "../../config/background-job.ts";
import type { Actor } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import { defined } from "../../job/defined.ts";
import { parseInput } from "../../job/issue.ts";
import type { OperationContext, ServerFacts } from "../../operations/operation.ts";
import type { JobsContext } from "../mcp/connection.ts";
import { listCards } from "../mcp/resources/job-card.ts";
import { registerJobResources } from "../mcp/resources/resources.ts";
import { serveJobs } from "../mcp/serve-jobs.ts";
import type { JobTool, Presenter, ToolFace } from "../mcp/tools/job-tool.ts";
import { engineForCall } from "../mcp/tools/keyed-engine.ts";
import { fitToSchema, type Fitted } from "../mcp/tools/parse-arguments.ts";
import { toFullJsonSchema, toFullToolSchema } from "../mcp/tools/tool-schema.ts";
import { withProgress } from "../mcp/tools/wait-with-progress.ts";
import { registerAgentPrompts, type PromptWords } from "./agent-prompts.ts";

/** What a server is built with, besides for whom. */
export interface ProfileParts {
  readonly server: ServerFacts;
  readonly backgroundJob: BackgroundJobSettings;
}

/** What a tool works with: what an operation does, and the call that it answers. */
export interface CallContext extends OperationContext, ProfileParts {
  readonly signal: AbortSignal;
  readonly request: ServerContext;
  /** The caller with the folder that its client works in; the client may have to be asked for it. */
  readonly actorInFolder: () => Promise<Actor>;
}

export interface ToolDefinition<Input extends z.ZodType, Reply> extends ToolFace {
  /** What the arguments are checked against. */
  readonly input: Input;
  /** What is listed instead, where a tool checks the rest in words of its own. */
  readonly listedInput?: z.ZodType;
  readonly output?: z.ZodType;
  /** It does something again when it is called again; whatever else a call starts is started once under the call's name. */
  readonly isOnceOnly?: boolean;
  readonly run: (context: CallContext, input: z.output<Input>, given: Fitted) => Promise<Reply>;
}

/** A tool that answers its calls itself; one whose calls become jobs is a `JobTool`. */
export interface Tool<Reply> extends Omit<ToolDefinition<z.ZodType, Reply>, "run"> {
  /** Checks the arguments and runs. */
  readonly call: (context: CallContext, args: unknown) => Promise<Reply>;
}

export function defineTool<Input extends z.ZodType, Reply>(definition: ToolDefinition<Input, Reply>): Tool<Reply> {
  const { run, ...described } = definition;
  const { name, input, listedInput = input } = definition;
  return {
    ...described,
    call: async (context, args) => {
      const given = fitToSchema(toFullJsonSchema(listedInput), args ?? {});
      return run(context, parseInput(input, given.value, name), given);
    },
  };
}

export interface ProfileDefinition<Reply> {
  /** The name of the server that it stands in for. */
  readonly serverName: string;
  /** Told to a model with the names of the tools that start jobs. */
  readonly instructions?: (startTools: readonly string[]) => string;
  readonly startTools?: (server: ServerFacts, kinds: Engine["kinds"]) => readonly JobTool[];
  readonly tools: readonly Tool<Reply>[];
  /** Names under which tools may also be called, each with the one that is listed. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** How a schema is listed: with every bound unless given. */
  readonly toSchema?: typeof toFullToolSchema;
  readonly toResult: (reply: Reply) => CallToolResult;
  /** An error in the words that its clients know. What it throws is nobody's answer. */
  readonly toError: (error: unknown, toolName: string) => CallToolResult;
  /** Shows finished jobs whose tool does not say how. */
  readonly present: Presenter;
  readonly promptWords?: PromptWords;
  readonly hasResources?: boolean;
  /** Tools about one job come with a card, for clients that show such. */
  readonly hasCard?: boolean;
}

/** What a server is made of, whatever its tools answer with. */
export interface ProfileShape extends Pick<
  ProfileDefinition<unknown>,
  "serverName" | "instructions" | "startTools" | "present" | "promptWords" | "hasResources" | "hasCard"
> {
  /** Those that are listed, but for the start tools. */
  readonly toolNames: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  /** Also under the names that stand for them. */
  readonly onceOnlyTools: readonly string[];
  readonly registerTools: (mcp: McpServer, contextFor: (request: ServerContext) => CallContext) => void;
}

/** A set of tools that an MCP client can ask for. */
export interface McpProfile extends ProfileShape {
  readonly build: (context: JobsContext, parts: ProfileParts) => McpServer;
}

export function defineProfile<Reply>(profile: ProfileDefinition<Reply>): McpProfile {
  const { tools, aliases = {} } = profile;
  const onceOnly = tools.filter(({ isOnceOnly }) => isOnceOnly === true).map(({ name }) => name);
  const otherNames = Object.keys(aliases).filter((alias) => onceOnly.includes(aliases[alias] ?? ""));
  return toMcpProfile({
    ...profile,
    aliases,
    toolNames: tools.map(({ name }) => name),
    onceOnlyTools: [...onceOnly, ...otherNames],
    registerTools: (mcp, contextFor) => {
      for (const tool of tools) registerTool(mcp, tool, profile, contextFor);
    },
  });
}

export function toMcpProfile(shape: ProfileShape): McpProfile {
  const { serverName, instructions, startTools, present, aliases, promptWords, hasResources, hasCard } = shape;
  return {
    ...shape,
    build: (context, { server, backgroundJob }) => {
      const starting = startTools?.(server, context.engine.kinds) ?? [];
      const mcp = new McpServer(
        { name: serverName, title: "Longhaul", version: server.version },
        defined({ instructions: instructions?.(starting.map(({ name }) => name)) }),
      );
      if (hasCard === true) {
        const starts = new Set(starting.map(({ name }) => name));
        listCards(mcp, context, (name) => starts.has(name) || name === "job_get");
      }
      const jobs = serveJobs(mcp, context, { present, aliases });
      for (const tool of starting) jobs.addTool(tool);
      if (context.isTaskRequest) return mcp;
      shape.registerTools(mcp, (request) => ({
        engine: engineForCall(context.engine, request),
        actor: context.actor,
        server,
        backgroundJob,
        signal: request.mcpReq.signal,
        request,
        actorInFolder: () => jobs.actorFor(request),
      }));
      if (hasResources === true) registerJobResources(mcp, context, server);
      if (promptWords !== undefined) registerAgentPrompts(mcp, server.agents?.providers ?? [], promptWords);
      return mcp;
    },
  };
}

/** What a tool throws for its caller becomes a result: a model can read it and try again. */
export function registerTool<Reply>(
  mcp: McpServer,
  tool: Tool<Reply>,
  {
    toSchema = toFullToolSchema,
    toResult,
    toError,
  }: Pick<ProfileDefinition<Reply>, "toSchema" | "toResult" | "toError">,
  contextFor: (request: ServerContext) => CallContext,
): void {
  const { title, description, annotations, meta, input, listedInput = input, output } = tool;
  const config = {
    description,
    inputSchema: toSchema(listedInput),
    title,
    annotations,
    _meta: meta,
    outputSchema: output && toSchema(output),
  };
  mcp.registerTool(tool.name, config, async (args, request) => {
    try {
      return toResult(await withProgress(tool.call(contextFor(request), args), request));
    } catch (error) {
      return toError(error, tool.name);
    }
  });
}

/** A reply as clients of many servers know it: pretty JSON, as text and as data. */
export function toJsonResult(reply: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(reply, null, 2) }], structuredContent: reply };
}
