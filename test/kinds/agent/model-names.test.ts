import { describe, expect, it } from "vitest";
import type { AgentConfig } from "../../../src/config/agent.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { findModels, modelClasses, modelLabel } from "../../../src/kinds/agent/model/model-names.ts";
import { costOf, findPrice, type Price, type Prices } from "../../../src/kinds/agent/model/prices.ts";

const agentOf = (env: NodeJS.ProcessEnv): AgentConfig =>
  loadConfig({}, { LONGHAUL_HOME: "/nonexistent", ...env }).agent;

const find = (env: NodeJS.ProcessEnv, ...references: string[]): string[] =>
  findModels(references, agentOf(env)).map(modelLabel);

describe("a model's name", () => {
  const all = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GEMINI_API_KEY: "g", GROK_API_KEY: "x" };

  it.each([
    [["claude-opus-4-1"], ["anthropic/claude-opus-4-1"]],
    [
      ["gpt-5", "o3", "gemini-2.5-pro", "grok-4"],
      ["openai/gpt-5", "openai/o3", "google/gemini-2.5-pro", "xai/grok-4"],
    ],
    [["openai/anything/at-all"], ["openai/anything/at-all"]],
    [["MINI"], ["anthropic/claude-haiku-5-5", "openai/gpt-6-luna", "google/gemini-3.5-flash-lite", "xai/grok-4.3"]],
    [
      ["gpt-5", "reasoning"],
      [
        "openai/gpt-5",
        "anthropic/claude-opus-5-5",
        "openai/gpt-6-astra",
        "google/gemini-3.1-pro-preview",
        "xai/grok-4.7",
      ],
    ],
  ])("%j means %j", (references, models) => expect(find(all, ...references)).toEqual(models));

  it("that is none is the class standard, of the keys that there are", () => {
    expect(find({ XAI_API_KEY: "x" })).toEqual(["xai/grok-4.7"]);
  });

  it("of a provider without a key goes through OpenRouter, if that has one", () => {
    const env = { OPENROUTER_API_KEY: "r" };
    expect(find(env, "claude-opus-4-1", "grok-4", "meta/llama")).toEqual([
      "openrouter/anthropic/claude-opus-4-1",
      "openrouter/x-ai/grok-4",
      "openrouter/meta/llama",
    ]);
  });

  it("that nobody knows goes to the only server of one's own", () => {
    expect(find({ OLLAMA_HOST: "127.0.0.1:11434" }, "qwen3")).toEqual(["ollama/qwen3"]);
    expect(agentOf({ OLLAMA_HOST: "127.0.0.1:11434" }).providers["ollama"]?.baseUrl).toBe("http://127.0.0.1:11434/v1");
  });

  it("is refused where it cannot be called, with what to do", () => {
    expect(() => find({}, "gpt-5")).toThrow("No model can be called: set ANTHROPIC_API_KEY");
    expect(() => find({ XAI_API_KEY: "x" }, "gpt-5")).toThrow("set OPENAI_API_KEY or OPENAI_BASE_URL");
    expect(() => find({ XAI_API_KEY: "x" }, "qwen3")).toThrow("give it as PROVIDER/MODEL");
    expect(() => find({ OLLAMA_HOST: "localhost" })).toThrow("set agent.classes.standard");
  });
});

describe("the configuration of agents", () => {
  it("takes addresses with and without a version, and hides every key", () => {
    const { providers, secrets } = agentOf({
      ANTHROPIC_BASE_URL: "https://proxy.example",
      ANTHROPIC_API_KEY: "the-key",
      OPENAI_BASE_URL: "http://h/api/",
    });
    expect(providers).toEqual({
      anthropic: { type: "anthropic", baseUrl: "https://proxy.example/v1", apiKey: "the-key" },
      openai: { type: "openai-compatible", baseUrl: "http://h/api" },
    });
    expect(secrets).toEqual(["the-key"]);
  });

  it.each([
    { TASK_TIMEOUT: "soon" },
    { TASK_STUCK_THRESHOLD: "0" },
    { OLLAMA_HOST: "http://:bad" },
    { ENV_FILE: "/nonexistent/file" },
  ])("%o is refused by name", (env) => expect(() => agentOf(env)).toThrow(Object.keys(env)[0]));
});

describe("a price", () => {
  const priceOf = (label: string, configured: Prices = {}): Price | undefined => {
    const [provider = "", ...model] = label.split("/");
    return findPrice({ provider, model: model.join("/") }, configured);
  };

  it("is that of its name, of its name without a date, or the configuration's; an unknown one is absent", () => {
    expect(priceOf("openai/gpt-5-mini-2025-08-07")?.input).toBe(0.25);
    expect(priceOf("anthropic/claude-haiku-4-5-20251001")?.input).toBe(1);
    expect(priceOf("openrouter/anthropic/claude-sonnet-5.5")?.output).toBe(10);
    expect(priceOf("x/gpt-5", { "x/gpt-5": { input: 9, output: 9 } })?.input).toBe(9);
    for (const unknown of ["ollama/qwen3", "openai/gpt-5-ultra", "anthropic/claude-opus-9"]) {
      expect(priceOf(unknown)).toBeUndefined();
    }
  });

  it.each(modelClasses)(
    "is known for every model of the class %s, but for those of DeepSeek, who name none in dollars",
    (name) => {
      const keys = ["ANTHROPIC", "OPENAI", "GOOGLE", "XAI", "OPENROUTER"].map((provider) => [
        `${provider}_API_KEY`,
        "k",
      ]);
      const labels = find(Object.fromEntries(keys) as NodeJS.ProcessEnv, name);
      expect(labels).toHaveLength(5);
      expect(labels.filter((label) => priceOf(label)?.context_tokens === undefined)).toEqual([]);
    },
  );

  it("is another for a long request, and counts what is stored", () => {
    const price = { input: 1, output: 10, above: { tokens: 1_000, input: 2, output: 20 } };
    const usage = { input: 1_000, output: 100, cached: 0, reasoning: 0 };
    expect(costOf(usage, price)).toBeCloseTo(0.002);
    expect(costOf({ ...usage, input: 2_000 }, price)).toBeCloseTo(0.006);
    expect(costOf({ ...usage, stored: 400 }, price)).toBeCloseTo(0.0021);
  });

  it("counts cached tokens at their own", () => {
    const usage = { input: 1_000_000, output: 100_000, cached: 400_000, reasoning: 0 };
    expect(costOf(usage, { input: 1, output: 10, cached_input: 0.1 })).toBeCloseTo(0.6 + 0.04 + 1);
  });
});
