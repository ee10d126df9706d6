import { describe, expect, it } from "vitest";
import { openModel } from "../../../src/kinds/agent/model/open-model.ts";

describe("a model that must not write more than so many tokens", () => {
  it.each([
    ["https://api.openai.com/v1", { max_completion_tokens: 7 }],
    ["https://models.example/v1", { max_tokens: 7 }],
  ])("at %s is told so by the name that it takes", async (baseUrl, expected) => {
    const bodies: unknown[] = [];
    const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response("{}", { status: 400 });
    };
    const providers = { p: { type: "openai-compatible", baseUrl, apiKey: "k" } } as const;
    const model = await openModel({ provider: "p", model: "m" }, providers, fetch);
    const { generateText } = await import("ai");
    await generateText({ model, prompt: "hello", maxOutputTokens: 7, maxRetries: 0 }).catch(() => undefined);
    expect(bodies).toMatchObject([{ model: "m", ...expected }]);
    expect(Object.keys(Object(bodies[0])).filter((key) => key.startsWith("max"))).toHaveLength(1);
  });
});
