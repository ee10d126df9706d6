import type { Json } from "../../job/json.ts";
import type { AgentInput } from "./contract.ts";
import type { AgentSettings } from "./settings.ts";
import type { AgentTool } from "./tools/agent-tool.ts";
import { askUserTool } from "./tools/ask-user.ts";
import { commandTools } from "./tools/commands.ts";
import { createSubmitTool, giveUpTool } from "./tools/ending-tools.ts";
import { openMcpTools } from "./tools/mcp-tools.ts";
import { readTools } from "./tools/read-tools.ts";
import { todoTool } from "./tools/todos.ts";
import { createWebTools } from "./tools/web-tools.ts";
import { writeTools } from "./tools/write-tools.ts";

export interface ToolBox {
  readonly tools: readonly AgentTool[];
  readonly close: () => Promise<void>;
}

/** The tools of one run. What changes anything is not even there when the run only reads. */
export async function openToolBox(
  input: AgentInput,
  settings: AgentSettings,
  options: {
    signal: AbortSignal;
    onResult: (data: Json) => void;
    onProblem: (problem: string) => void;
    more: readonly AgentTool[];
  },
): Promise<ToolBox> {
  const submit = input.output_schema === undefined ? [] : [createSubmitTool(input.output_schema, options.onResult)];
  const own = [
    ...readTools,
    ...createWebTools(settings.web),
    todoTool,
    askUserTool,
    ...writeTools,
    ...commandTools,
    ...options.more,
    ...submit,
    giveUpTool,
  ];
  const mcp = await openMcpTools(settings.mcpServers, options);
  // Without run_command there are no commands to look at.
  const isOffered = (tool: AgentTool): boolean =>
    input.read_only !== true || !(tool.changes !== undefined || commandTools.includes(tool));
  return { tools: [...own, ...mcp.tools].filter(isOffered), close: mcp.close };
}
