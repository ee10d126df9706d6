import { z } from "zod";
import type { Json } from "../../../job/json.ts";

export const programNames = ["claude-code", "codex", "opencode", "gemini"] as const;

export type ProgramName = (typeof programNames)[number];

export interface ProgramRequest {
  readonly model: string | undefined;
  readonly readOnly: boolean;
  readonly maxSteps: number | undefined;
}

/** What one line of a program's output tells, as far as it is understood. */
export interface ProgramNews {
  readonly text?: string;
  /** The whole answer, when the program says so at its end. */
  readonly answer?: string;
  readonly tool?: { readonly name: string; readonly brief: string };
  /** Added to what was used before. */
  readonly tokens?: { readonly input: number; readonly output: number; readonly cached: number };
  readonly costUsd?: number;
  readonly error?: string;
}

/** An installed agent program in the mode in which it asks nobody. The prompt is its input, never part of a command line. */
export interface Program {
  readonly command: string;
  readonly args: (request: ProgramRequest) => string[];
  /** Lines of JSON, or one JSON document for all of the output. */
  readonly format: "lines" | "document";
  readonly read: (event: Json) => ProgramNews;
}

const optionalModel = (flag: string, model: string | undefined): string[] => (model === undefined ? [] : [flag, model]);

const reading = "Read,Glob,Grep,WebFetch,WebSearch,TodoWrite";

const claudeEvent = z.looseObject({
  type: z.string(),
  message: z
    .looseObject({
      content: z.array(
        z.looseObject({
          type: z.string(),
          text: z.string().optional(),
          name: z.string().optional(),
          input: z.json().optional(),
        }),
      ),
    })
    .optional(),
  result: z.string().optional(),
  is_error: z.boolean().optional(),
  total_cost_usd: z.number().optional(),
  usage: z
    .looseObject({
      input_tokens: z.int().default(0),
      output_tokens: z.int().default(0),
      cache_read_input_tokens: z.int().default(0),
      cache_creation_input_tokens: z.int().default(0),
    })
    .optional(),
});

const claudeCode: Program = {
  command: "claude",
  args: ({ model, readOnly, maxSteps }) => [
    ...["-p", "--output-format", "stream-json", "--verbose"],
    ...optionalModel("--model", model),
    ...(maxSteps === undefined ? [] : ["--max-turns", String(maxSteps)]),
    ...(readOnly
      ? ["--allowedTools", reading, "--disallowedTools", "Bash,Edit,Write,MultiEdit,NotebookEdit"]
      : ["--permission-mode", "acceptEdits", "--allowedTools", `${reading},Bash,Edit,Write,MultiEdit,NotebookEdit`]),
  ],
  format: "lines",
  read: (event) => {
    const { type, message, ...end } = claudeEvent.parse(event);
    if (type === "result") {
      const { usage, result = "", is_error: isError, total_cost_usd: costUsd } = end;
      const cached = usage?.cache_read_input_tokens ?? 0;
      const input = (usage?.input_tokens ?? 0) + cached + (usage?.cache_creation_input_tokens ?? 0);
      return {
        ...(isError === true ? { error: result || "It failed." } : { answer: result }),
        tokens: { input, output: usage?.output_tokens ?? 0, cached },
        ...(costUsd === undefined ? {} : { costUsd }),
      };
    }
    if (type !== "assistant" || message === undefined) return {};
    const text = message.content.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("");
    const use = message.content.find((part) => part.type === "tool_use");
    return {
      ...(text === "" ? {} : { text }),
      ...(use === undefined ? {} : { tool: { name: use.name ?? "", brief: JSON.stringify(use.input ?? {}) } }),
    };
  },
};

const codexEvent = z.looseObject({
  type: z.string(),
  item: z
    .looseObject({ type: z.string().optional(), text: z.string().optional(), command: z.string().optional() })
    .optional(),
  usage: z
    .looseObject({
      input_tokens: z.int().default(0),
      cached_input_tokens: z.int().default(0),
      output_tokens: z.int().default(0),
    })
    .optional(),
  error: z.looseObject({ message: z.string() }).optional(),
  message: z.string().optional(),
});

const codex: Program = {
  command: "codex",
  args: ({ model, readOnly }) => [
    ...["exec", "--json", "--skip-git-repo-check", "--sandbox", readOnly ? "read-only" : "workspace-write"],
    ...optionalModel("--model", model),
    "-",
  ],
  format: "lines",
  read: (event) => {
    const { type, item, usage, error, message } = codexEvent.parse(event);
    if (type === "turn.failed" || type === "error") return { error: error?.message ?? message ?? "It failed." };
    if (type === "turn.completed" && usage !== undefined) {
      const { input_tokens: input, output_tokens: output, cached_input_tokens: cached } = usage;
      return { tokens: { input, output, cached } };
    }
    if (type === "item.completed" && item?.type === "agent_message")
      return { text: item.text ?? "", answer: item.text ?? "" };
    if (type === "item.started" && item?.type !== undefined)
      return { tool: { name: item.type, brief: item.command ?? "" } };
    return {};
  },
};

const opencodeEvent = z.looseObject({
  type: z.string(),
  part: z
    .looseObject({
      text: z.string().optional(),
      tool: z.string().optional(),
      cost: z.number().optional(),
      tokens: z.looseObject({ input: z.int().default(0), output: z.int().default(0) }).optional(),
    })
    .optional(),
  error: z.json().optional(),
});

const opencode: Program = {
  command: "opencode",
  args: ({ model, readOnly }) => [
    ...["run", "--format", "json", "--agent", readOnly ? "plan" : "build"],
    ...optionalModel("--model", model),
  ],
  format: "lines",
  read: (event) => {
    const { type, part, error } = opencodeEvent.parse(event);
    if (type === "error") return { error: JSON.stringify(error ?? "It failed.") };
    if (type === "text") return { text: part?.text ?? "", answer: part?.text ?? "" };
    if (type === "tool_use") return { tool: { name: part?.tool ?? "", brief: "" } };
    if (type !== "step_finish" || part === undefined) return {};
    const { input = 0, output = 0 } = part.tokens ?? {};
    return { tokens: { input, output, cached: 0 }, ...(part.cost === undefined ? {} : { costUsd: part.cost }) };
  },
};

const geminiAnswer = z.looseObject({
  response: z.string().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
  stats: z
    .looseObject({
      models: z.record(
        z.string(),
        z.looseObject({
          tokens: z.looseObject({
            prompt: z.int().default(0),
            candidates: z.int().default(0),
            cached: z.int().default(0),
          }),
        }),
      ),
    })
    .optional(),
});

const gemini: Program = {
  command: "gemini",
  args: ({ model, readOnly }) => [
    ...["--output-format", "json", "--approval-mode", readOnly ? "default" : "yolo"],
    ...optionalModel("--model", model),
  ],
  format: "document",
  read: (event) => {
    const { response = "", error, stats } = geminiAnswer.parse(event);
    if (error !== undefined) return { error: error.message };
    const all = Object.values(stats?.models ?? {}).map(({ tokens }) => tokens);
    const sum = (pick: (tokens: (typeof all)[number]) => number): number =>
      all.reduce((total, one) => total + pick(one), 0);
    const tokens = {
      input: sum((one) => one.prompt),
      output: sum((one) => one.candidates),
      cached: sum((one) => one.cached),
    };
    return { text: response, answer: response, tokens };
  },
};

export const programs: Readonly<Record<ProgramName, Program>> = { "claude-code": claudeCode, codex, opencode, gemini };
