import { createHash } from "node:crypto";
import { defined } from "../../job/defined.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import type { JobContext } from "../../job/kind.ts";
import { wellFormed } from "../../text/well-formed.ts";
import type { PatternPool } from "../../text/pattern-pool.ts";
import type { Activity } from "./activity.ts";
import { approve } from "./approve.ts";
import type { AgentInput } from "./contract.ts";
import { closePending, saveConversation, type Conversation, type ToolAnswer } from "./conversation.ts";
import type { ToolCall } from "./model/call-model.ts";
import type { RunRedactor } from "./run-redactor.ts";
import type { AgentTool, ToolUse } from "./tools/agent-tool.ts";
import type { ConfinedFiles } from "./tools/confined-files.ts";
import type { Picture } from "./tools/pictures.ts";
import { FileMemory } from "./tools/seen-files.ts";
import { canonicalJson } from "../../job/json.ts";

interface AnswerParts {
  readonly context: JobContext;
  readonly activity: Activity;
  readonly tools: readonly AgentTool[];
  readonly files: ConfinedFiles;
  /** What is asked before it is done. */
  readonly ask: AgentInput["ask"];
  readonly patterns: PatternPool;
  /** Hides what neither the model nor anybody else may see. */
  readonly redactor: Pick<RunRedactor, "known" | "learn">;
  /** Something handed in the result: what was asked for besides is not done any more. */
  readonly isDone: () => boolean;
}

/** Runs the tools that the last reply called, from the first that has no answer yet: those that only read side by side, any other by itself. */
export async function answerCalls(conversation: Conversation, parts: AnswerParts): Promise<void> {
  const { pending } = conversation;
  if (pending === null) return;
  while (pending.answers.length < pending.calls.length && !parts.isDone()) {
    const from = pending.answers.length;
    const batch = nextBatch(pending.calls.slice(from), parts.tools);
    const answering = batch.map((call, index) => answerCall(call, from + index, conversation, parts));
    const answers = await Promise.all(answering);
    let loop: JobFailure | undefined;
    for (const [index, answer] of answers.entries()) {
      const call = batch[index] as ToolCall;
      const repeats = countRepeats(conversation.recent, call, answer.text);
      pending.answers.push({ ...answer, text: answer.text + repeatWarning(repeats) });
      if (repeats >= failAt) {
        const message = `The model called ${call.name} ${repeats} times with the same arguments and the same answer.`;
        loop ??= new JobFailure("looping", message, { retryable: false });
      }
    }
    pending.isUnderWay = false;
    conversation.toolCalls += answers.length;
    if (pending.answers.length === pending.calls.length) closePending(conversation);
    await saveConversation(parts.context.checkpoint, conversation);
    if (loop !== undefined) throw loop;
  }
}

const maxAtOnce = 8;

/** The first call, and those right behind it that only read as it does. */
function nextBatch(calls: readonly ToolCall[], tools: readonly AgentTool[]): ToolCall[] {
  const isReader = ({ name, input }: ToolCall): boolean =>
    tools.find((tool) => tool.name === name)?.isReader(input) === true;
  const end = calls.findIndex((call) => !isReader(call));
  return calls.slice(0, Math.min(maxAtOnce, Math.max(1, end === -1 ? calls.length : end)));
}

async function answerCall(
  call: ToolCall,
  index: number,
  conversation: Conversation,
  parts: AnswerParts,
): Promise<ToolAnswer> {
  const { context, activity } = parts;
  const tool = parts.tools.find(({ name }) => name === call.name);
  const brief = tool?.brief(call.input) ?? "";
  const startedAt = performance.now();
  activity.event("tool_start", { tool: call.name, arguments: brief });
  activity.progress(`${call.name} ${brief}`, conversation);
  const key = `step ${conversation.steps} call ${index}`;
  const { text, isError, picture } = await attempt(call, tool, key, conversation, parts);
  context.signal.throwIfAborted();
  if (tool?.changes !== undefined) await parts.redactor.learn();
  const ms = Math.round(performance.now() - startedAt);
  activity.event("tool_done", { tool: call.name, ok: !isError, result: text, ms });
  return {
    id: call.id,
    name: call.name,
    text: wellFormed(parts.redactor.known(text)),
    isError,
    ...defined({ picture }),
  };
}

interface Attempted {
  readonly text: string;
  readonly isError: boolean;
  readonly picture?: Picture;
}

/** What a tool throws is an answer too; only the end of the run is none. */
async function attempt(
  call: ToolCall,
  tool: AgentTool | undefined,
  key: string,
  conversation: Conversation,
  parts: AnswerParts,
): Promise<Attempted> {
  const { context } = parts;
  if (tool === undefined) {
    const known = parts.tools.map(({ name }) => name).join(", ");
    return { text: `There is no tool "${call.name}"; there are ${known}.`, isError: true };
  }
  if (call.problem !== undefined) return { text: call.problem, isError: true };
  const conceal = parts.redactor.known;
  const { files, patterns } = parts;
  const { pending, todos, seen, commands, delegates, approvals } = conversation;
  const memory = new FileMemory(files, seen);
  const use: ToolUse = { job: context, files, memory, patterns, todos, commands, delegates, conceal, key };
  try {
    if (pending?.isUnderWay === true) return await afterInterruption(tool, call, use);
    const refusal = await approve(tool, call.input, { ask: parts.ask, approvals, job: context, key, conceal });
    if (refusal !== undefined) return { text: refusal, isError: true };
    if (tool.isUnrepeatable && pending !== null) {
      pending.isUnderWay = true;
      await saveConversation(context.checkpoint, conversation);
    }
    const reply = await tool.run(call.input, use);
    return { ...(typeof reply === "string" ? { text: reply } : reply), isError: false };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof JobFailure && error.code === "gave_up") throw error;
    return { text: messageOf(error), isError: true };
  }
}

async function afterInterruption(tool: AgentTool, call: ToolCall, use: ToolUse): Promise<Attempted> {
  const done = await tool.verify(call.input, use).catch(() => undefined);
  if (done !== undefined) return { text: done, isError: false };
  const text = "Interrupted: it is not known whether it was done. Look before you do it again.";
  return { text, isError: true };
}

const remembered = 20;
const warnAt = 3;
const failAt = 6;

/** How often this call with this very answer is among the newest ones, this one included. */
function countRepeats(recent: string[], call: ToolCall, answer: string): number {
  const digest = createHash("sha256")
    .update(canonicalJson([call.name, call.input ?? null, answer]))
    .digest("base64")
    .slice(0, 16);
  recent.push(digest);
  if (recent.length > remembered) recent.shift();
  return recent.filter((known) => known === digest).length;
}

function repeatWarning(count: number): string {
  if (count < warnAt) return "";
  return `\n[This was the same call with the same answer for the ${count}th time. Do something else: at the ${failAt}th the task ends as failed.]`;
}
