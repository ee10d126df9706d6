import type { Conversation } from "./conversation.ts";
import type { Message } from "./model/call-model.ts";
import { showTodos } from "./tools/todos.ts";

const keptMessages = 6;
const keptResultCharacters = 200;
const keptWords = 300;
const maxDigestLines = 200;

/**
 * Makes the conversation shorter: first the old results of tools are cut, then everything between the task and the newest
 * messages becomes a digest of what was done. False when nothing is left to cut.
 */
export function compact(conversation: Conversation): boolean {
  conversation.compactions += 1;
  const { messages } = conversation;
  if (conversation.compactions === 1) {
    const old = messages.length - keptMessages;
    const cut = messages.map((message, index) => (index < old ? cutResults(message) : message));
    if (JSON.stringify(cut).length < 0.7 * JSON.stringify(messages).length) {
      conversation.messages = cut;
      return true;
    }
  }
  return conversation.compactions <= 3 && replaceMiddle(conversation);
}

function cutResults(message: Message): Message {
  if (message.role !== "tool") return message;
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || (part.output.type !== "text" && part.output.type !== "error-text")) return part;
    const { value } = part.output;
    if (value.length <= keptResultCharacters) return part;
    const text = `${value.slice(0, keptResultCharacters)}… [cut to save room; call the tool again if it is needed]`;
    return { ...part, output: { ...part.output, value: text } };
  });
  return { ...message, content };
}

/** The newest messages are kept from an answer of the model on: an answer of a tool cannot stand without its call. */
function replaceMiddle(conversation: Conversation): boolean {
  const { messages, todos } = conversation;
  const keep = conversation.compactions >= 3 ? 2 : keptMessages;
  const start = messages.findIndex((message, index) => index >= messages.length - keep && message.role === "assistant");
  const [first] = messages;
  if (first === undefined || start <= 1) return false;
  const lines = messages.slice(1, start).flatMap(tell).slice(-maxDigestLines);
  const plan = todos.items.length === 0 ? [] : ["The plan:", showTodos(todos.items)];
  const digest = ["[What happened so far, in short, to save room:]", ...lines, ...plan].join("\n");
  const text = typeof first.content === "string" ? first.content : "";
  // In the first message, because two of the user's in a row are not taken by every provider.
  const task = text.split("\n\n[What happened so far")[0] ?? text;
  const shorter = conversation.compactions >= 3 ? task.slice(0, 20_000) : task;
  conversation.messages = [
    { role: "user", content: `${shorter}\n\n${digest}` },
    ...messages.slice(start).map((message) => (conversation.compactions >= 2 ? cutResults(message) : message)),
  ];
  return true;
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
  return line.length > keptWords ? `${line.slice(0, keptWords)}…` : line;
}
