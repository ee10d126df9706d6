import { startConversation, type Conversation } from "../conversation.ts";
import type { AgentResult } from "../contract.ts";
import { addUsage, noUsage, type TokenUsage } from "../model/token-usage.ts";
import { buildPrompt, promptText } from "../prompt.ts";
import type { RunParts } from "../settings.ts";
import type { ProgramNews } from "./program.ts";

/** All that is known of a program's work: stored as it goes, so that a server that takes over reads on where it was. */
export interface ProgramState {
  /** Made once: files may have changed when the work is taken up again. */
  readonly prompt: string;
  /** Counts in the same words as a run of our own, so that all of its status looks the same. */
  readonly tally: Conversation;
  /** The program's own conversation, once it has named it. */
  session: string | null;
  /** The conversation that the program was started to go on with. */
  resuming: string | null;
  attempt: number;
  /** How often it was started in this attempt. */
  run: number;
  /** How much of its output has been taken. */
  from: number;
  /** What had been used when it was started. */
  usedBefore: TokenUsage;
  /** The newest step, which may be told again. */
  step: { readonly id: string; readonly usage: TokenUsage } | null;
  isInText: boolean;
  answer: string | null;
  problem: string | null;
  stoppedBy: NonNullable<AgentResult["stopped_by"]> | null;
}

export async function loadState({ input, files, context }: RunParts): Promise<ProgramState> {
  const stored = (await context.checkpoint.load()) as unknown as ProgramState | undefined;
  const state = stored ?? {
    prompt: await makePrompt(input, files),
    tally: { ...startConversation("", { background: "", goal: "" }), costUsd: null },
    session: null,
    resuming: null,
    attempt: 0,
    run: 0,
    from: 0,
    usedBefore: noUsage,
    step: null,
    isInText: false,
    answer: null,
    problem: null,
    stoppedBy: null,
  };
  if (state.attempt !== context.attempt) beginRun(state, context.attempt);
  return state;
}

async function makePrompt(input: RunParts["input"], files: RunParts["files"]): Promise<string> {
  const schema =
    input.output_schema === undefined
      ? ""
      : `\n\nAnswer with nothing but JSON of this schema:\n${JSON.stringify(input.output_schema)}`;
  return promptText(await buildPrompt(input, files)) + schema;
}

/** The program is to be started, anew or once more. What was used so far stays counted. */
export function beginRun(state: ProgramState, attempt: number): void {
  Object.assign(state, {
    attempt,
    run: state.attempt === attempt ? state.run + 1 : 1,
    resuming: state.session,
    from: 0,
    usedBefore: state.tally.usage,
    step: null,
    isInText: false,
    answer: null,
    problem: null,
    stoppedBy: null,
  } satisfies Partial<ProgramState>);
}

interface Taken {
  readonly isNewStep: boolean;
  /** Which limit was reached before the step that has begun. */
  readonly limit: AgentResult["stopped_by"];
}

/** Adds what a line told. */
export function takeNews(state: ProgramState, news: ProgramNews, limitReached: () => AgentResult["stopped_by"]): Taken {
  const { tally } = state;
  const isNewStep = news.step !== undefined && news.step.id !== state.step?.id;
  const limit = isNewStep || news.isStepBegun === true ? limitReached() : undefined;
  state.stoppedBy ??= limit ?? news.stoppedBy ?? null;
  state.session = news.session ?? state.session;
  takeText(state, news);
  if (news.tool !== undefined) tally.toolCalls += 1;
  if (news.step !== undefined) takeStep(state, news.step, isNewStep);
  if (news.total !== undefined) {
    if (state.step === null) tally.steps += 1;
    tally.usage = addUsage(state.usedBefore, { ...news.total, reasoning: 0 });
  }
  if (news.costUsd !== undefined) tally.costUsd = (tally.costUsd ?? 0) + news.costUsd;
  // An error that it got over is none.
  state.problem = news.error ?? (news.total === undefined ? state.problem : null);
  return { isNewStep, limit };
}

function takeText(state: ProgramState, { piece, text, tool, answer }: ProgramNews): void {
  const { tally } = state;
  if (piece !== undefined) tally.lastText = (state.isInText ? tally.lastText : "") + piece;
  if (text !== undefined) tally.lastText = text;
  state.isInText = piece !== undefined || (state.isInText && text === undefined && tool === undefined);
  state.answer = answer ?? state.answer;
}

function takeStep(state: ProgramState, { id, ...used }: NonNullable<ProgramNews["step"]>, isNewStep: boolean): void {
  const { tally } = state;
  const usage = { ...used, reasoning: 0 };
  const before = isNewStep || state.step === null ? noUsage : state.step.usage;
  tally.usage = addUsage(tally.usage, {
    input: usage.input - before.input,
    output: usage.output - before.output,
    cached: usage.cached - before.cached,
    reasoning: 0,
  });
  if (isNewStep) tally.steps += 1;
  state.step = { id, usage };
}

/** Adds what was used beside the program. */
export function takeUsage(state: ProgramState, usage: TokenUsage, costUsd: number | undefined): void {
  const { tally } = state;
  tally.usage = addUsage(tally.usage, usage);
  if (costUsd !== undefined) tally.costUsd = (tally.costUsd ?? 0) + costUsd;
  state.usedBefore = addUsage(state.usedBefore, usage);
}
