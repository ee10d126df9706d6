import { JobFailure, messageOf } from "../../job/failure.ts";
import { PartialResult } from "../../job/kind.ts";
import type { Json } from "../../job/json.ts";
import { createActivity, type Activity } from "./activity.ts";
import { answerCalls } from "./answer-calls.ts";
import { compact, tell } from "./compact.ts";
import { compactByModel } from "./compact-by-model.ts";
import {
  addReply,
  loadConversation,
  saveConversation,
  spend,
  startConversation,
  withoutThoughts,
  type Conversation,
} from "./conversation.ts";
import { modelsOf, type AgentInput, type AgentResult } from "./contract.ts";
import type { Message, ModelClient } from "./model/call-model.ts";
import { ModelError } from "./model/model-error.ts";
import { findModels, modelLabel, type ModelChoice } from "./model/model-names.ts";
import { callPersistently, defaultRetryPolicy, type PersistentReply } from "./model/persistent-call.ts";
import { costOf, findPrice } from "./model/prices.ts";
import { totalTokens } from "./model/token-usage.ts";
import { buildPrompt } from "./prompt.ts";
import { buildInstructions } from "./instructions.ts";
import { limitReached, roundDollars, serveRun, toResult } from "./run-result.ts";
import type { RunParts } from "./settings.ts";
import { createSummarizer } from "./summarize.ts";
import { openToolBox } from "./tool-box.ts";
import type { AgentTool } from "./tools/agent-tool.ts";
import { stopCommands } from "./tools/commands.ts";
import { createDelegateTools } from "./tools/delegate.ts";
import { hasPictures, withBytes, withoutPictures } from "./tools/pictures.ts";

interface LoopParts extends RunParts {
  readonly client: ModelClient;
  readonly activity: Activity;
  readonly choices: readonly ModelChoice[];
  readonly tools: readonly AgentTool[];
  /** Set when the result was handed in. */
  readonly handedIn: { data?: Json };
}

type LoopResult = AgentResult | PartialResult<AgentResult>;

/** Lets a model work on the task with tools until it is done. Goes on from the checkpoint if there is one. */
export async function runLoop(parts: RunParts, client: ModelClient): Promise<LoopResult> {
  const { input, context, settings } = parts;
  const activity = createActivity(context, settings.redactor);
  const handedIn: { data?: Json } = {};
  const conversation = await openConversation(parts);
  const delegating = createDelegateTools({
    input,
    used: () => conversation,
    spend: (usage, cost) => spend(conversation, usage, cost),
  });
  const box = await openToolBox(input, settings, {
    more: delegating,
    signal: context.signal,
    onResult: (data) => (handedIn.data = data),
    onProblem: (problem) => context.log(settings.redactor.text(problem), "warn"),
  });
  const choices = findModels(modelsOf(input), settings);
  try {
    const loop = { ...parts, client, activity, choices, handedIn, tools: box.tools };
    serve(conversation, loop);
    const result = await converse(conversation, loop);
    await stopCommands(conversation.commands, context);
    return result;
  } finally {
    activity.endText();
    await box.close();
  }
}

async function openConversation(parts: RunParts): Promise<Conversation> {
  const { input, files, context } = parts;
  const stored = await loadConversation(context.checkpoint);
  if (stored !== undefined) {
    // A new attempt by hand gets every chance again; what was found out stays.
    if (context.isInterrupted) return stored;
    return {
      ...stored,
      messages: withoutThoughts(stored.messages),
      current: 0,
      recent: [],
      reminders: 0,
      isBlind: false,
    };
  }
  return startConversation(await buildInstructions(parts), await buildPrompt(input, files));
}

function serve(conversation: Conversation, parts: LoopParts): void {
  const { context, choices, settings } = parts;
  const own = (): ModelChoice => choices[conversation.current] as ModelChoice;
  const summarize = createSummarizer({
    ...parts,
    own,
    happened: () => conversation.messages.slice(1).flatMap(tell),
    spend: async (usage, cost) => {
      spend(conversation, usage, cost);
      await saveConversation(context.checkpoint, conversation);
    },
  });
  const { redactor } = settings;
  serveRun(context, conversation, { model: () => modelLabel(own()), redactor, summarize, activity: parts.activity });
}

async function converse(conversation: Conversation, parts: LoopParts): Promise<LoopResult> {
  const { context, handedIn, settings, input } = parts;
  const { redactor, patterns } = settings;
  const limits = { ...input, max_steps: input.max_steps ?? settings.maxSteps };
  const end = (ending: Pick<AgentResult, "data" | "stopped_by">): AgentResult => {
    const model = modelLabel(parts.choices[conversation.current] as ModelChoice);
    parts.activity.end(model, conversation);
    return toResult(conversation, { model, redactor }, ending);
  };
  for (;;) {
    await answerCalls(conversation, {
      ...parts,
      ask: input.ask,
      redactor,
      patterns,
      isDone: () => handedIn.data !== undefined,
    });
    if (handedIn.data !== undefined) return end({ data: handedIn.data });
    const stoppedBy = limitReached(conversation, limits);
    if (stoppedBy !== undefined) return new PartialResult(end({ stopped_by: stoppedBy }));
    const reply = await nextReply(conversation, parts);
    const choice = parts.choices[reply.current] as ModelChoice;
    const price = findPrice(choice, settings.prices);
    const cost = price === undefined ? undefined : costOf(reply.usage, price);
    if (reply.current !== conversation.current) conversation.messages = withoutThoughts(conversation.messages);
    conversation.current = reply.current;
    addReply(conversation, reply, cost);
    const isOver = reply.calls.length === 0 && !remind(conversation, reply, input);
    await saveConversation(context.checkpoint, conversation);
    parts.activity.event("step", {
      step: conversation.steps,
      model: modelLabel(choice),
      tokens: { ...reply.usage },
      ...(cost === undefined ? {} : { cost_usd: roundDollars(cost) }),
    });
    if (isOver) return end({});
  }
}

/** One reply of a model. A conversation that has become too long for it is made shorter. */
async function nextReply(conversation: Conversation, parts: LoopParts): Promise<PersistentReply> {
  const { activity, context, settings } = parts;
  while (isNearlyFull(conversation, parts) && (await shorten(conversation, parts)));
  for (;;) {
    activity.progress("thinking", conversation);
    try {
      return await callPersistently(
        parts.client,
        {
          choices: parts.choices,
          current: conversation.current,
          instructions: conversation.instructions,
          messages: await messagesToSend(conversation, parts),
          tools: parts.tools,
          maxOutputTokens: boundReply(conversation, parts.input),
          signal: context.signal,
          onText: activity.text,
          onActivity: (isPiece) => {
            context.touch();
            if (isPiece) activity.piece();
          },
          onRetry: ({ error, ...event }) => {
            activity.endText();
            activity.event("retry", { ...event, error });
            const next =
              event.nextModel === undefined ? `again in ${Math.ceil((event.waitMs ?? 0) / 1_000)} s` : event.nextModel;
            activity.progress(`${event.model} does not answer, trying ${next}`, conversation);
          },
        },
        settings.retry ?? defaultRetryPolicy,
      );
    } catch (error) {
      if (cannotSee(error, conversation)) {
        conversation.isBlind = true;
        activity.event("blind", { error: messageOf(error) });
        continue;
      }
      if (!(error instanceof ModelError) || error.type !== "overflow") throw error;
      if (!(await shorten(conversation, parts))) {
        throw new JobFailure("context_overflow", error.message, { retryable: false, cause: error });
      }
    } finally {
      activity.endText();
    }
  }
}

/** A picture is sent with its bytes, or in words once no model has taken one. */
async function messagesToSend({ messages, isBlind }: Conversation, { files }: LoopParts): Promise<Message[]> {
  return isBlind ? withoutPictures(messages, "the model cannot see it") : withBytes(messages, files);
}

const refusedRequest = new Set([400, 404, 415, 422]);

/** What a model that takes no pictures says is not told apart from any other refusal: it is asked once more without them. */
function cannotSee(error: unknown, { messages, isBlind }: Conversation): boolean {
  if (isBlind || !(error instanceof JobFailure) || error.code !== "model_refused") return false;
  return refusedRequest.has(Number(error.details?.["status"])) && hasPictures(messages);
}

const fullShare = 0.85;
const charactersPerToken = 4;

/** What went in last time is known; what came since, or everything after a cut, is guessed. */
function isNearlyFull({ lastInput, current, messages }: Conversation, { choices, settings }: LoopParts): boolean {
  const room = findPrice(choices[current] as ModelChoice, settings.prices)?.context_tokens;
  if (room === undefined) return false;
  const since = lastInput === 0 ? 0 : messages.findLastIndex(({ role }) => role === "assistant");
  const guessed = JSON.stringify(messages.slice(Math.max(0, since))).length / charactersPerToken;
  return lastInput + guessed > room * fullShare;
}

/** The model sums up what is old, once for each time that it is too long; where that is not enough, rules always make room. */
async function shorten(conversation: Conversation, parts: LoopParts): Promise<boolean> {
  const before = JSON.stringify(conversation.messages).length;
  const isFirst = conversation.compactions === 0 && !conversation.isSummedUp;
  const byModel = parts.settings.compaction === "model" && isFirst && (await compactByModel(conversation, parts));
  if (!byModel && !compact(conversation)) return false;
  conversation.isSummedUp = byModel;
  const after = JSON.stringify(conversation.messages).length;
  parts.activity.event("compacted", { by: byModel ? "model" : "rules", before, after });
  conversation.lastInput = 0;
  return true;
}

/** Every model can write as much as this; what some can write beyond, others refuse to be asked for. */
const writtenByAll = 4_000;

/** What is left of the tokens, where one reply might use it up. */
function boundReply({ usage }: Conversation, { max_tokens: maxTokens = Infinity }: AgentInput): number | undefined {
  const left = maxTokens - totalTokens(usage);
  return left <= writtenByAll ? left : undefined;
}

const maxReminders = 3;

/** A reply that calls no tool ends the run, unless it is cut off, says nothing, or the result was to be handed in. */
function remind(
  conversation: Conversation,
  { text, isCut }: Pick<PersistentReply, "text" | "isCut">,
  { output_schema: outputSchema }: AgentInput,
): boolean {
  if (outputSchema === undefined && text.trim() !== "" && !isCut) return false;
  if (conversation.reminders >= maxReminders) {
    if (outputSchema === undefined) return false;
    throw new JobFailure("no_result", "The model ended without handing in a result that fits the schema.");
  }
  conversation.reminders += 1;
  conversation.messages.push({ role: "user", content: reminderOf(outputSchema !== undefined, isCut) });
  return true;
}

function reminderOf(hasSchema: boolean, isCut: boolean): string {
  if (isCut) return "Your answer was cut off because it was too long: give the whole of it again, shorter.";
  return hasSchema ? "Call submit_result with the result." : "You have said nothing: answer with the result, as text.";
}
