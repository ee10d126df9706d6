import type { z } from "zod";
import type { JobContext } from "../../../job/kind.ts";
import { parseInput } from "../../../job/issue.ts";
import { schemaToJson } from "../../../job/schema-to-json.ts";
import type { PatternPool } from "../../../text/pattern-pool.ts";
import type { ToolDescription } from "../model/call-model.ts";
import type { CommandList } from "./commands.ts";
import type { ConfinedFiles } from "./confined-files.ts";
import type { Delegates } from "./delegate.ts";
import type { Picture } from "./pictures.ts";
import type { FileMemory } from "./seen-files.ts";
import type { TodoList } from "./todos.ts";

/** What a tool may use. */
export interface ToolUse {
  readonly job: JobContext;
  readonly files: ConfinedFiles;
  /** What the agent knows of them. */
  readonly memory: FileMemory;
  readonly todos: TodoList;
  readonly commands: CommandList;
  readonly delegates: Delegates;
  readonly patterns: PatternPool;
  /** Hides the values that nobody may see. */
  readonly conceal: (text: string) => string;
  /** Names this call within its job: the same after a restart. */
  readonly key: string;
}

/** Files, commands, or whatever the tools of others change. */
export type ChangeClass = "writes" | "commands" | "other";

/** What a tool says, in words, or with something to look at. */
export type ToolReply = string | { readonly text: string; readonly picture: Picture };

/** A tool as the loop sees it. It answers with text; what it throws becomes text too. */
export interface AgentTool extends ToolDescription {
  /** What it changes, if anything: it is left out of a run that only reads. */
  readonly changes: ChangeClass | undefined;
  /** Only looks at something, and so can be run beside others that do. */
  readonly isReader: (input: unknown) => boolean;
  /** May be under way when the server dies, and must not be run again unseen. */
  readonly isUnrepeatable: boolean;
  /** Its arguments in a few words. */
  readonly brief: (input: unknown) => string;
  /** What it would do, for somebody who is to allow it. */
  readonly preview: (input: unknown) => string;
  readonly run: (input: unknown, use: ToolUse) => Promise<ToolReply>;
  /** After an interruption: says that it was done, or undefined if that cannot be told. */
  readonly verify: (input: unknown, use: ToolUse) => Promise<string | undefined>;
}

interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly changes?: ChangeClass;
  readonly isReader?: (input: z.output<Input>) => boolean;
  readonly isUnrepeatable?: boolean;
  readonly brief?: (input: z.output<Input>) => string;
  readonly preview?: (input: z.output<Input>) => string;
  readonly run: (input: z.output<Input>, use: ToolUse) => Promise<ToolReply>;
  readonly verify?: (input: z.output<Input>, use: ToolUse) => Promise<string | undefined>;
}

export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): AgentTool {
  const { name, description, input: schema, brief, run, verify } = definition;
  const { $schema: _dialect, ...parameters } = schemaToJson(schema, "input");
  const parse = (input: unknown): z.output<Input> => parseInput(schema, input ?? {}, name);
  return {
    name,
    description,
    parameters,
    changes: definition.changes,
    isReader: (input) => {
      const parsed = schema.safeParse(input ?? {});
      return parsed.success && definition.isReader?.(parsed.data) === true;
    },
    isUnrepeatable: definition.isUnrepeatable ?? false,
    brief: (input) => {
      const parsed = schema.safeParse(input ?? {});
      return parsed.success && brief !== undefined ? brief(parsed.data) : JSON.stringify(input ?? {});
    },
    preview: (input) => {
      const parsed = schema.safeParse(input ?? {});
      const { preview = brief } = definition;
      return parsed.success && preview !== undefined ? preview(parsed.data) : JSON.stringify(input ?? {});
    },
    run: async (input, use) => run(parse(input), use),
    verify: async (input, use) => verify?.(parse(input), use),
  };
}
