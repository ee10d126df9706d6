import type { Reply } from "./scripted-model.ts";
import { fields, list, text, type Wire } from "./wire.ts";

const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };

/** Google's generateContent. */
export const google: Wire = {
  matches: (path) => /:(streamG|g)enerateContent$/.test(path),
  read: (body) => {
    const { tools, contents, systemInstruction } = fields(body);
    const parts = list(contents).flatMap(({ role, parts: ofTurn }) => list(ofTurn).map((part) => ({ role, part })));
    return {
      tools: list(tools)
        .flatMap((tool) => list(tool["functionDeclarations"]))
        .map(({ name }) => text(name)),
      prompt: parts
        .filter(({ role, part }) => role === "user" && part["text"] !== undefined)
        .map(({ part }) => text(part["text"]))
        .join("\n"),
      results: parts
        .filter(({ part }) => part["functionResponse"] !== undefined)
        .map(({ part }) => resultText(fields(part["functionResponse"])["response"])),
      instructions: list(fields(systemInstruction)["parts"])
        .map((part) => text(part["text"]))
        .join("\n"),
      body,
    };
  },
  whole: (reply) => document(reply),
  stream: (reply) => [{ data: document(reply) }],
};

function resultText(response: unknown): string {
  const { output, ...others } = fields(response);
  return typeof output === "string" && Object.keys(others).length === 0 ? output : text(response);
}

function document(reply: Reply): object {
  const part = "text" in reply ? { text: reply.text } : { functionCall: { name: reply.tool, args: reply.input } };
  const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
  return { candidates: [candidate], usageMetadata, modelVersion: "gemini-scripted" };
}
