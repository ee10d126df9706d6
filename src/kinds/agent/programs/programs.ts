import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import type { Program } from "./program.ts";

export const programNames = ["claude-code", "codex", "opencode", "gemini"] as const;

/** The programs that can do an agent's work, by the name of the backend. */
export const programs: Readonly<Record<(typeof programNames)[number], Program>> = {
  "claude-code": claudeCode,
  ...{ codex, opencode, gemini },
};
