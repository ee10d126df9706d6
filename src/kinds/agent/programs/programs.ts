import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import type { AgentInput } from "../contract.ts";
import type { Program } from "./program.ts";

/** The programs that can do an agent's work, by the name of the backend. */
export const programs: Readonly<Record<NonNullable<AgentInput["backend"]>, Program>> = {
  "claude-code": claudeCode,
  codex,
  opencode,
  gemini,
};
