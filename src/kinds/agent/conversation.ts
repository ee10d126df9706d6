import type { Checkpoint } from "../../job/kind.ts";
import type { Json } from "../../job/json.ts";
import type { Message, ModelReply, ToolCall } from "./model/call-model.ts";
import type { Approvals } from "./approve.ts";
import { addUsage, noUsage, type TokenUsage } from "./model/token-usage.ts";
import { promptText, type Prompt } from "./prompt.ts";
import type { CommandList } from "./tools/commands.ts";
import type { Delegates } from "./tools/delegate.ts";
import { toPictureMessage, type Picture } from "./tools/pictures.ts";
import type { SeenFiles } from "./tools/seen-files.ts";
import type { Todo } from "./tools/todos.ts";

export interface ToolAnswer {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  readonly picture?: Picture | undefined;
}

/** Tool calls of the last reply that are being answered, in their order. */
export interface Pending {
  readonly calls: readonly ToolCall[];
  readonly answers: ToolAnswer[];
  /** The next call was begun, and cannot be begun again unseen. */
  isUnderWay: boolean;
}

/** All that a run knows: stored after every reply and every tool, so that nothing that is finished is done again. */
export interface Conversation {
  readonly instructions: string;
  /** What the first message says, before a digest. */
  prompt: Prompt;
  /** What happened in exchanges that are no longer among the messages, a line each. */
  digest: string[];
  messages: Message[];
  pending: Pending | null;
  todos: { items: Todo[] };
  seen: SeenFiles;
  commands: { items: CommandList["items"][number][] };
  delegates: Delegates;
  approvals: Approvals;
  usage: TokenUsage;
  /** Null where the price of a model is not known. */
  costUsd: number | null;
  steps: number;
  toolCalls: number;
  /** Which of the models is asked. */
  current: number;
  /** The newest calls with their answers, as digests: a loop shows in them. */
  recent: string[];
  /** No model has taken its pictures: they are told of in words. */
  isBlind: boolean;
  /** How often it was reminded to end properly. */
  reminders: number;
  /** How often it was made shorter without an answer in between. */
  compactions: number;
  /** The model has summed it up, and has not answered since. */
  isSummedUp: boolean;
  lastText: string;
  /** Tokens that went in with the last reply. */
  lastInput: number;
}

export function startConversation(instructions: string, prompt: Prompt): Conversation {
  return {
    instructions,
    prompt,
    digest: [],
    messages: [{ role: "user", content: promptText(prompt) }],
    pending: null,
    todos: { items: [] },
    seen: {},
    commands: { items: [] },
    delegates: { count: 0 },
    approvals: [],
    usage: noUsage,
    costUsd: 0,
    steps: 0,
    toolCalls: 0,
    current: 0,
    recent: [],
    isBlind: false,
    reminders: 0,
    compactions: 0,
    isSummedUp: false,
    lastText: "",
    lastInput: 0,
  };
}

export async function loadConversation(checkpoint: Checkpoint): Promise<Conversation | undefined> {
  const stored = (await checkpoint.load()) as unknown as Conversation | undefined;
  if (stored === undefined) return undefined;
  // An older version kept less.
  const said = stored.messages[0]?.content;
  const goal = typeof said === "string" ? said : "";
  return { ...startConversation(stored.instructions, { background: "", goal }), ...stored };
}

export async function saveConversation(checkpoint: Checkpoint, conversation: Conversation): Promise<void> {
  await checkpoint.save(conversation as unknown as Json);
}

export function addReply(conversation: Conversation, reply: ModelReply, costUsd: number | undefined): void {
  const { message, calls, usage, text } = reply;
  conversation.messages.push(message);
  conversation.pending = calls.length === 0 ? null : { calls, answers: [], isUnderWay: false };
  spend(conversation, usage, costUsd);
  conversation.lastInput = usage.input;
  conversation.steps += 1;
  conversation.compactions = 0;
  conversation.isSummedUp = false;
  if (text.trim() !== "") conversation.lastText = text;
}

/** Only the model that thought it can read its thoughts; others may refuse them. */
export function withoutThoughts(messages: readonly Message[]): Message[] {
  return messages.map((message) =>
    message.role === "assistant" && Array.isArray(message.content)
      ? { ...message, content: message.content.filter(({ type }) => type !== "reasoning") }
      : message,
  );
}

/** Adds what a reply used up. */
export function spend(conversation: Conversation, usage: TokenUsage, costUsd: number | undefined): void {
  conversation.usage = addUsage(conversation.usage, usage);
  conversation.costUsd = costUsd === undefined || conversation.costUsd === null ? null : conversation.costUsd + costUsd;
}

/** All calls are answered: the answers become part of what the model reads next. */
export function closePending(conversation: Conversation): void {
  const { answers } = conversation.pending ?? { answers: [] };
  conversation.messages.push({
    role: "tool",
    content: answers.map(({ id, name, text, isError }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      output: { type: isError ? "error-text" : "text", value: text },
    })),
  });
  const pictures = answers.flatMap(({ picture }) => picture ?? []);
  if (pictures.length > 0) conversation.messages.push(toPictureMessage(pictures));
  conversation.pending = null;
}
