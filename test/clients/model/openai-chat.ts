import type { Reply } from "./scripted-model.ts";
import { fields, list, text, type Wire } from "./wire.ts";

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** OpenAI's chat completions, which most others speak too. */
export const openaiChat: Wire = {
  matches: (path) => path.endsWith("/chat/completions"),
  read: (body) => {
    const { tools, messages } = fields(body);
    const said = (role: string): string[] =>
      list(messages)
        .filter((each) => each["role"] === role)
        .map(({ content }) => contentText(content));
    return {
      tools: list(tools).map((tool) => text(fields(tool["function"])["name"])),
      prompt: said("user").join("\n"),
      results: said("tool"),
      instructions: said("system").join("\n"),
      body,
    };
  },
  whole: (reply, id) => ({
    ...completion(id, "chat.completion"),
    choices: [{ index: 0, message: message(reply, id), finish_reason: finishReason(reply) }],
    usage,
  }),
  stream: (reply, id) => [
    {
      data: {
        ...completion(id, "chat.completion.chunk"),
        choices: [{ index: 0, delta: message(reply, id), finish_reason: null }],
      },
    },
    {
      data: {
        ...completion(id, "chat.completion.chunk"),
        choices: [{ index: 0, delta: {}, finish_reason: finishReason(reply) }],
        usage,
      },
    },
  ],
};

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return text(content);
  return list(content)
    .map((part) => text(part["text"]))
    .join("\n");
}

function completion(id: string, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: 1, model: "scripted" };
}

function message(reply: Reply, id: string): object {
  if ("text" in reply) return { role: "assistant", content: reply.text };
  const call = { name: reply.tool, arguments: JSON.stringify(reply.input) };
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: call }],
  };
}

function finishReason(reply: Reply): string {
  return "text" in reply ? "stop" : "tool_calls";
}
