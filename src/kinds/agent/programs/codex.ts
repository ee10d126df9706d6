import { z } from "zod";
import { option, type Program } from "./program.ts";

const event = z.looseObject({
  type: z.string(),
  thread_id: z.string().optional(),
  item: z
    .looseObject({
      type: z.string().optional(),
      text: z.string().optional(),
      command: z.string().optional(),
      tool: z.string().optional(),
      query: z.string().optional(),
    })
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

/** `codex exec --json`. Its sandbox keeps a run that only reads from writing. */
export const codex: Program = {
  command: "codex",
  args: ({ model, readOnly, session }) => [
    "exec",
    "--json",
    "--skip-git-repo-check",
    "--sandbox",
    readOnly ? "read-only" : "workspace-write",
    ...option("--model", model),
    ...option("resume", session),
    "-",
  ],
  isMetered: false,
  read: (line) => {
    const { type, thread_id: session, item, usage, error, message } = event.parse(line);
    if (type === "thread.started" && session !== undefined) return { session };
    if (type === "turn.failed" || type === "error") return { error: error?.message ?? message ?? "It failed." };
    if (type === "turn.completed" && usage !== undefined) {
      const { input_tokens: input, output_tokens: output, cached_input_tokens: cached } = usage;
      return { total: { input, output, cached } };
    }
    if (type === "item.completed" && item?.type === "agent_message") return { text: item.text ?? "" };
    if (type !== "item.started" || item?.type === undefined || /^(agent_message|reasoning)$/.test(item.type)) return {};
    return { tool: { name: item.type, brief: item.command ?? item.tool ?? item.query ?? "" } };
  },
};
