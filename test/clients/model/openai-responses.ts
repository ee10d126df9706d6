import type { Reply } from "./scripted-model.ts";
import { fields, list, text, type Wire, type WireEvent } from "./wire.ts";

const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };

/** OpenAI's Responses. A tool's name has its namespace before a slash. */
export const openaiResponses: Wire = {
  matches: (path) => path.endsWith("/responses"),
  read: (body) => {
    const { tools, input, instructions } = fields(body);
    const items = list(input);
    return {
      tools: list(tools).flatMap((tool) =>
        tool["type"] === "namespace"
          ? list(tool["tools"]).map(({ name }) => `${text(tool["name"])}/${text(name)}`)
          : [text(tool["name"])],
      ),
      prompt: items
        .filter(({ type, role }) => type === "message" && role === "user")
        .flatMap(({ content }) => list(content))
        .map((part) => text(part["text"]))
        .join("\n"),
      results: items
        .filter(({ type }) => type === "function_call_output")
        .map(({ output }) =>
          Array.isArray(output)
            ? list(output)
                .map((part) => text(part["text"]))
                .join("\n")
            : text(output),
        ),
      instructions: text(instructions),
      body,
    };
  },
  whole: (reply, id) => ({ ...response(id), status: "completed", output: [item(reply, id)], usage }),
  stream: (reply, id) => [
    event({ type: "response.created", response: { ...response(id), status: "in_progress", output: [] } }),
    event({ type: "response.output_item.added", output_index: 0, item: item(reply, id) }),
    event({ type: "response.output_item.done", output_index: 0, item: item(reply, id) }),
    event({
      type: "response.completed",
      response: { ...response(id), status: "completed", output: [item(reply, id)], usage },
    }),
  ],
};

function response(id: string): object {
  return { id: `resp_${id}`, object: "response", model: "gpt-scripted" };
}

function item(reply: Reply, id: string): object {
  if ("text" in reply) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
  }
  const [name = "", namespace] = reply.tool.split("/").toReversed();
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: `call_${id}`,
    status: "completed",
    name,
    namespace,
    arguments: JSON.stringify(reply.input),
  };
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): WireEvent {
  return { name: data.type, data };
}
