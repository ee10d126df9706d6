import type { Json } from "../../../job/json.ts";

export interface ProgramRequest {
  readonly model: string | undefined;
  readonly readOnly: boolean;
  readonly maxSteps: number | undefined;
  readonly maxCostUsd: number | undefined;
  /** The conversation to go on with. */
  readonly session: string | undefined;
  /** Where its `readOnlyRules` are. */
  readonly rulesFile: string;
}

interface ProgramUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** What one line of a program's output tells, as far as it is understood. */
export interface ProgramNews {
  /** What its conversation is called, to go on with it. */
  readonly session?: string;
  readonly text?: string;
  /** A piece of a text that comes in pieces. */
  readonly piece?: string;
  /** The whole answer, when the program says so at its end; its last text unless given. */
  readonly answer?: string;
  readonly tool?: { readonly name: string; readonly brief: string };
  /** It begins another step. */
  readonly isStepBegun?: true;
  /** What a step has used so far. The same step may be told again, with more. */
  readonly step?: ProgramUsage & { readonly id: string };
  /** What all of it has used, where that is told at the end. */
  readonly total?: ProgramUsage;
  /** Added to what was spent before. */
  readonly costUsd?: number;
  /** It ended because of a limit that it was given. */
  readonly stoppedBy?: "max_steps" | "max_cost_usd";
  readonly error?: string;
}

/** An installed agent program in the mode in which it asks nobody. The prompt is its input, never part of a command line. */
export interface Program {
  readonly command: string;
  readonly args: (request: ProgramRequest) => string[];
  readonly env?: (request: ProgramRequest) => Record<string, string>;
  /** Rules for a run that only reads, for a program that takes them from a file. */
  readonly readOnlyRules?: string;
  /** Tells its steps, tokens and cost while it runs, so that limits on them can be kept. */
  readonly isMetered: boolean;
  /** Reads a line of its output, which is JSON. */
  readonly read: (event: Json) => ProgramNews;
}

export function option(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)];
}
