import type { Reply } from "./scripted-model.ts";
import { fields, list, text, type Wire, type WireEvent } from "./wire.ts";

const usage = { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** Anthropic's Messages. */
export const anthropic: Wire = {
  matches: (path) => path.endsWith("/v1/messages"),
  read: (body) => {
    const { tools, messages, system } = fields(body);
    const blocks = list(messages).map(({ role, content }) => ({
      role,
      parts: typeof content === "string" ? [{ type: "text", text: content }] : list(content),
    }));
    return {
      tools: list(tools).map(({ name }) => text(name)),
      prompt: blocks
        .filter(({ role }) => role === "user")
        .flatMap(({ parts }) => parts.filter(({ type }) => type === "text"))
        .map((part) => text(fields(part)["text"]))
        .join("\n"),
      results: blocks
        .flatMap(({ parts }) => parts.filter(({ type }) => type === "tool_result"))
        .map((part) => resultText(fields(part)["content"])),
      instructions: list(system)
        .map((part) => text(part["text"]))
        .join("\n"),
      body,
    };
  },
  whole: (reply, id) => ({ ...message(id), content: [block(reply, id)], stop_reason: stopReason(reply), usage }),
  stream: (reply, id) => [
    event({ type: "message_start", message: { ...message(id), content: [], stop_reason: null, usage } }),
    event({
      type: "content_block_start",
      index: 0,
      content_block: "text" in reply ? { type: "text", text: "" } : { ...block(reply, id), input: {} },
    }),
    event({
      type: "content_block_delta",
      index: 0,
      delta:
        "text" in reply
          ? { type: "text_delta", text: reply.text }
          : { type: "input_json_delta", partial_json: JSON.stringify(reply.input) },
    }),
    event({ type: "content_block_stop", index: 0 }),
    event({ type: "message_delta", delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage }),
    event({ type: "message_stop" }),
  ],
};

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => (part["type"] === "text" ? text(part["text"]) : text(part)))
    .join("\n");
}

function message(id: string): object {
  return { id: `msg_${id}`, type: "message", role: "assistant", model: "claude-scripted", stop_sequence: null };
}

function block(reply: Reply, id: string): object {
  return "text" in reply
    ? { type: "text", text: reply.text }
    : { type: "tool_use", id: `toolu_${id}`, name: reply.tool, input: reply.input };
}

function stopReason(reply: Reply): string {
  return "text" in reply ? "end_turn" : "tool_use";
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): WireEvent {
  return { name: data.type, data };
}
