import { z } from "zod";
import { option, type Program, type ProgramNews } from "./program.ts";

const count = z.number().default(0);

const event = z.looseObject({
  type: z.string(),
  sessionID: z.string().optional(),
  part: z
    .looseObject({
      id: z.string().optional(),
      text: z.string().optional(),
      tool: z.string().optional(),
      state: z.looseObject({ input: z.json().optional() }).optional(),
      cost: z.number().optional(),
      tokens: z
        .looseObject({ input: count, output: count, cache: z.looseObject({ read: count, write: count }).optional() })
        .optional(),
    })
    .optional(),
  error: z
    .looseObject({ name: z.string().optional(), data: z.looseObject({ message: z.string().optional() }).optional() })
    .optional(),
});

/** Its own agent `plan` may run commands, so a run that only reads gets one that may not. */
const reader = "longhaul-reader";
const allowed = ["read", "glob", "grep", "list", "webfetch", "websearch", "todowrite", "todoread"];
const permission = { "*": "deny", ...Object.fromEntries(allowed.map((tool) => [tool, "allow"])) };
const readerConfig = JSON.stringify({ permission, agent: { [reader]: { mode: "primary", permission } } });

/** `opencode run --format json`. */
export const opencode: Program = {
  command: "opencode",
  args: ({ model, readOnly, session }) => [
    "run",
    "--format",
    "json",
    "--agent",
    readOnly ? reader : "build",
    ...option("--session", session),
    ...option("--model", model),
  ],
  env: ({ readOnly }): Record<string, string> => (readOnly ? { OPENCODE_CONFIG_CONTENT: readerConfig } : {}),
  isMetered: true,
  read: (line) => {
    const told = event.parse(line);
    return { session: told.sessionID, ...readPart(told) };
  },
};

function readPart({ type, part, error }: z.output<typeof event>): ProgramNews {
  if (type === "error") return { error: error?.data?.message ?? error?.name ?? "It failed." };
  if (type === "step_start") return { isStepBegun: true };
  if (type === "text") return { text: part?.text ?? "" };
  if (type === "tool_use") return { tool: { name: part?.tool ?? "", brief: JSON.stringify(part?.state?.input ?? {}) } };
  if (type !== "step_finish" || part === undefined) return {};
  const { input = 0, output = 0, cache = { read: 0, write: 0 } } = part.tokens ?? {};
  const used = { input: input + cache.read + cache.write, output, cached: cache.read };
  return { step: { id: part.id ?? "", ...used }, costUsd: part.cost };
}
