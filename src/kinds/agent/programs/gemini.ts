import { z } from "zod";
import { option, type Program } from "./program.ts";

const event = z.looseObject({
  type: z.string(),
  session_id: z.string().optional(),
  role: z.string().optional(),
  content: z.string().optional(),
  tool_name: z.string().optional(),
  parameters: z.json().optional(),
  status: z.string().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
  stats: z
    .looseObject({ input_tokens: z.int().default(0), output_tokens: z.int().default(0), cached: z.int().default(0) })
    .optional(),
});

/** No approval mode will do: each lets the model leave it for one in which everything is allowed. */
const readOnlyRules = `[[rule]]
toolName = "*"
decision = "deny"
priority = 998

[[rule]]
toolName = ["glob", "grep_search", "list_directory", "read_file", "read_many_files", "google_web_search", "web_fetch", "write_todos"]
decision = "allow"
priority = 999
`;

/** `gemini` with lines of JSON. */
export const gemini: Program = {
  command: "gemini",
  args: ({ model, readOnly, session, rulesFile }) => [
    "--output-format",
    "stream-json",
    ...(readOnly ? ["--approval-mode", "default", "--policy", rulesFile] : ["--approval-mode", "yolo"]),
    ...option("--resume", session),
    ...option("--model", model),
  ],
  readOnlyRules,
  isMetered: false,
  read: (line) => {
    const { type, session_id: session, role, content = "", stats, ...told } = event.parse(line);
    if (type === "init" && session !== undefined) return { session };
    if (type === "message" && role === "assistant") return { piece: content };
    if (type === "tool_use") {
      return { tool: { name: told.tool_name ?? "", brief: JSON.stringify(told.parameters ?? {}) } };
    }
    if (type !== "result") return {};
    return {
      ...(told.status === "error" ? { error: told.error?.message ?? "It failed." } : {}),
      total:
        stats === undefined
          ? undefined
          : { input: stats.input_tokens, output: stats.output_tokens, cached: stats.cached },
    };
  },
};
