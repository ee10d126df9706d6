import { describe, expect, it } from "vitest";
import type { AgentConfig } from "../../../src/config/agent.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { findModels, modelLabel } from "../../../src/kinds/agent/model/model-names.ts";
import { costOf, findPrice } from "../../../src/kinds/agent/model/prices.ts";

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
    [["MINI"], ["anthropic/claude-haiku-4-5", "openai/gpt-5-mini", "google/gemini-2.5-flash", "xai/grok-3-mini"]],
    [
      ["gpt-5", "reasoning"],
      ["openai/gpt-5", "anthropic/claude-opus-4-1", "google/gemini-2.5-pro", "xai/grok-4"],
    ],
  ])("%j means %j", (references, models) => expect(find(all, ...references)).toEqual(models));

  it("that is none is the class standard, of the keys that there are", () => {
    expect(find({ XAI_API_KEY: "x" })).toEqual(["xai/grok-4"]);
  });

  it("of a provider without a key goes through OpenRouter, if that has one", () => {
    const env = { OPENROUTER_API_KEY: "r" };
    expect(find(env, "claude-opus-4-1", "grok-4", "meta/llama")).toEqual([
      ...["openrouter/anthropic/claude-opus-4-1", "openrouter/x-ai/grok-4", "openrouter/meta/llama"],
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
  it("is that of the longest name that fits, or the configuration's; an unknown one is absent", () => {
    expect(findPrice({ provider: "openai", model: "gpt-5-mini-2025" }, {})?.input).toBe(0.25);
    expect(findPrice({ provider: "openrouter", model: "anthropic/claude-sonnet-4.5" }, {})?.output).toBe(15);
    expect(findPrice({ provider: "x", model: "gpt-5" }, { "x/gpt-5": { input: 9, output: 9 } })?.input).toBe(9);
    expect(findPrice({ provider: "ollama", model: "qwen3" }, {})).toBeUndefined();
  });

  it("counts cached tokens at their own", () => {
    const usage = { input: 1_000_000, output: 100_000, cached: 400_000, reasoning: 0 };
    expect(costOf(usage, { input: 1, output: 10, cached_input: 0.1 })).toBeCloseTo(0.6 + 0.04 + 1);
  });
});
