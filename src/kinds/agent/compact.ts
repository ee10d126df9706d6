import { mapTexts, type Json } from "../../job/json.ts";
import { wellFormed } from "../../text/well-formed.ts";
import { withoutThoughts, type Conversation } from "./conversation.ts";
import type { Message } from "./model/call-model.ts";
import { countPictures, pictureCharacters, withoutPictures } from "./tools/pictures.ts";
import { showTodos } from "./tools/todos.ts";

const keptOfOld = 200;
const keptWords = 300;
/** What is less is not worth another try. */
const worthwhileShare = 0.9;
const shortestText = 500;
const shortestGoal = 2_000;

/**
 * Makes the conversation half as long, or a quarter if that was not enough, by what is missed least: old results of tools are cut, then old exchanges become lines of a
 * digest, both from the oldest on; then the newest exchange, what the task came with and at last the task are cut in their middle.
 * Every call keeps its answer. False when nothing is left to cut.
 */
export function compact(conversation: Conversation): boolean {
  const before = sizeOf(conversation.messages);
  const target = before / (conversation.compactions === 0 ? 2 : 4);
  const [, ...later] = conversation.messages;
  const exchanges = toExchanges(later);
  const newest = exchanges.pop() ?? [];
  const parts: Parts = { ...conversation.prompt, digest: [...conversation.digest], old: exchanges, newest };
  foldOld(parts, conversation, target);
  cutRest(parts, conversation, target);
  const messages = toMessages(parts, conversation);
  if (sizeOf(messages) >= before * worthwhileShare) return false;
  Object.assign(conversation, {
    messages,
    compactions: conversation.compactions + 1,
    digest: parts.digest,
    prompt: { background: parts.background, goal: parts.goal },
  } satisfies Partial<Conversation>);
  return true;
}

/** What is to be summed up: what happened before the newest exchange, told at length. */
export interface OldPart {
  readonly text: string;
  /** How many messages it is about, the first one not counted. */
  readonly count: number;
}

export function tellAtLength(conversation: Conversation, maxCharacters: number): OldPart {
  const { prompt, digest, messages, todos } = conversation;
  const exchanges = toExchanges(messages.slice(1));
  const old = exchanges.slice(0, -1).flat();
  const shown = withoutPictures(withoutThoughts(old), leftOutPicture);
  for (let longest = longestText; ; longest /= 2) {
    const told = shown.map((message) => JSON.stringify(cutTexts(message, longest)));
    const plan = todos.items.length === 0 ? [] : ["# The plan", showTodos(todos.items)];
    const text = [`# The task\n${cut(prompt.goal, longest)}`, ...digest, "# What happened", ...told, ...plan].join(
      "\n",
    );
    if (text.length <= maxCharacters || longest < shortestText) {
      return { text: old.length === 0 ? "" : text.slice(0, maxCharacters), count: old.length };
    }
  }
}

/** Puts a summary in the place of what it sums up; false, and nothing is changed, if that saves little. */
export function replaceOld(conversation: Conversation, { count }: OldPart, summary: string): boolean {
  const before = sizeOf(conversation.messages);
  const { prompt } = conversation;
  const digest = [summary];
  const newest = conversation.messages.slice(1 + count);
  const messages = toMessages({ ...prompt, digest, old: [], newest }, conversation);
  if (sizeOf(messages) >= before * worthwhileShare) return false;
  Object.assign(conversation, { messages, digest } satisfies Partial<Conversation>);
  return true;
}

/** An answer of the model, with what was said to it: neither can stand without the other. */
type Exchange = readonly Message[];

interface Parts {
  background: string;
  goal: string;
  digest: string[];
  old: Exchange[];
  newest: Exchange;
}

function toExchanges(messages: readonly Message[]): Exchange[] {
  const exchanges: Message[][] = [];
  for (const message of messages) {
    if (message.role === "assistant" || exchanges.length === 0) exchanges.push([]);
    exchanges.at(-1)?.push(message);
  }
  return exchanges;
}

/** Cuts old exchanges from the oldest on, then turns them into lines from the oldest on, until the rest fits. */
function foldOld(parts: Parts, conversation: Conversation, target: number): void {
  let excess = sizeOf(toMessages(parts, conversation)) - target;
  parts.old = parts.old.map((exchange) => {
    if (excess <= 0) return exchange;
    const shorter = withoutPictures(withoutThoughts(exchange), leftOutPicture).map((message) =>
      cutTexts(message, keptOfOld),
    );
    excess -= sizeOf(exchange) - sizeOf(shorter);
    return shorter;
  });
  while (excess > 0 && parts.old.length > 0) {
    const [oldest = [], ...rest] = parts.old;
    const lines = oldest.flatMap(tell);
    parts.digest.push(...lines);
    parts.old = rest;
    excess -= sizeOf(oldest) - lines.join("\n").length;
  }
  parts.digest = boundDigest(parts.digest, target / 4);
}

/** The first decisions and the newest lines are worth most. */
function boundDigest(lines: readonly string[], maxCharacters: number): string[] {
  const half = Math.max(shortestText, maxCharacters) / 2;
  let first = 0;
  for (let left = half; first < lines.length && left > 0; first++) left -= (lines[first]?.length ?? 0) + 3;
  let last = lines.length;
  for (let left = half; last > first && left > 0; last--) left -= (lines[last - 1]?.length ?? 0) + 3;
  if (last <= first) return [...lines];
  return [...lines.slice(0, first), leftOut, ...lines.slice(last)].filter(
    (line, index, all) => line !== leftOut || all.indexOf(leftOut) === index,
  );
}

const leftOut = "[Some steps are left out.]";

/** Nothing old is left, or the rest alone is too much: texts are cut, the longest first, the task itself last. */
function cutRest(parts: Parts, conversation: Conversation, target: number): void {
  const isTooLong = (): boolean => sizeOf(toMessages(parts, conversation)) > target;
  for (let longest = longestText; longest >= shortestText && isTooLong(); longest /= 2) {
    parts.background = cut(parts.background, longest);
    parts.newest = parts.newest.map((message) => cutTexts(message, longest));
  }
  if (isTooLong()) parts.newest = withoutPictures(withoutThoughts(parts.newest), leftOutPicture);
  for (let longest = longestText; longest >= shortestGoal && isTooLong(); longest /= 2) {
    parts.goal = cut(parts.goal, longest);
  }
}

const longestText = 256_000;
const leftOutPicture = "left out to save room: look again if it is needed";

function toMessages({ background, goal, digest, old, newest }: Parts, { todos }: Conversation): Message[] {
  const plan = todos.items.length === 0 ? [] : ["The plan:", showTodos(todos.items)];
  const told = ["[What happened so far, in short, to save room:]", ...digest, ...plan].join("\n");
  // In the first message, because two of the user's in a row are not taken by every provider.
  const content = [background, goal, digest.length === 0 ? "" : told].filter((block) => block !== "").join("\n\n");
  return [{ role: "user", content }, ...old.flat(), ...newest];
}

/** The results of tools, and the arguments and words of the model, where they are longer than this. */
function cutTexts(message: Message, longest: number): Message {
  if (message.role === "tool") {
    const content = message.content.map((part) =>
      part.type === "tool-result" && (part.output.type === "text" || part.output.type === "error-text")
        ? { ...part, output: { ...part.output, value: cut(part.output.value, longest) } }
        : part,
    );
    return { ...message, content };
  }
  if (message.role !== "assistant" || !Array.isArray(message.content)) return message;
  const content = message.content.map((part) => {
    if (part.type === "text") return { ...part, text: cut(part.text, longest) };
    if (part.type !== "tool-call") return part;
    return { ...part, input: mapTexts(part.input as Json, (text) => cut(text, longest)) };
  });
  return { ...message, content };
}

/** Keeps the beginning and, shorter, the end. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = Math.max(0, longest - cutNote.length);
  const end = Math.floor(kept / 3);
  return wellFormed(`${text.slice(0, kept - end)}${cutNote}${end === 0 ? "" : text.slice(-end)}`);
}

const cutNote = "… [cut to save room: look again if it is needed] …";

function sizeOf(messages: readonly Message[]): number {
  const pictures = messages.reduce((sum, message) => sum + countPictures(message), 0);
  return JSON.stringify(messages).length + pictures * pictureCharacters;
}

/** A message in short, a line for each thing said or done. */
export function tell(message: Message): string[] {
  if (message.role === "assistant" && Array.isArray(message.content)) {
    return message.content.flatMap((part) => {
      if (part.type === "text" && part.text.trim() !== "") return [`You said: ${shorten(part.text)}`];
      return part.type === "tool-call" ? [`You called ${part.toolName} ${shorten(JSON.stringify(part.input))}`] : [];
    });
  }
  if (message.role !== "tool") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-result" && part.output.type === "error-text"
      ? [`It failed: ${shorten(part.output.value)}`]
      : [],
  );
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > keptWords ? wellFormed(`${line.slice(0, keptWords)}…`) : line;
}
