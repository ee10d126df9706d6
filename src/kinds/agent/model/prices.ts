import type { ModelChoice } from "./model-names.ts";
import type { TokenUsage } from "./token-usage.ts";

export interface Price {
  /** US dollars per million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number | undefined;
  readonly context_tokens?: number | undefined;
}

export type Prices = Readonly<Record<string, Price>>;

/** List prices by the beginning of a model's name; the longest that fits counts. The configuration overrides them. */
const listPrices: Prices = {
  "claude-opus-4": { input: 15, output: 75, cached_input: 1.5, context_tokens: 200_000 },
  "claude-sonnet-4": { input: 3, output: 15, cached_input: 0.3, context_tokens: 200_000 },
  "claude-haiku-4": { input: 1, output: 5, cached_input: 0.1, context_tokens: 200_000 },
  "gpt-5": { input: 1.25, output: 10, cached_input: 0.125, context_tokens: 400_000 },
  "gpt-5-mini": { input: 0.25, output: 2, cached_input: 0.025, context_tokens: 400_000 },
  "gpt-5-nano": { input: 0.05, output: 0.4, cached_input: 0.005, context_tokens: 400_000 },
  "gemini-2.5-pro": { input: 1.25, output: 10, cached_input: 0.31, context_tokens: 1_000_000 },
  "gemini-2.5-flash": { input: 0.3, output: 2.5, cached_input: 0.075, context_tokens: 1_000_000 },
  "grok-4": { input: 3, output: 15, cached_input: 0.75, context_tokens: 256_000 },
  "grok-3-mini": { input: 0.3, output: 0.5, cached_input: 0.075, context_tokens: 131_072 },
  "deepseek-": { input: 0.28, output: 0.42, cached_input: 0.028, context_tokens: 128_000 },
};

/** The price of a model: by its full name, by its own, or by how that begins. Undefined where nobody knows it. */
export function findPrice({ provider, model }: ModelChoice, configured: Prices): Price | undefined {
  const own =
    model
      .split("/")
      .at(-1)
      ?.replace(/^claude-(\w+)-(\d)\.(\d)/, "claude-$1-$2-$3") ?? model;
  const exact = configured[`${provider}/${model}`] ?? configured[model];
  if (exact !== undefined) return exact;
  const beginning = Object.keys(listPrices)
    .filter((name) => own.startsWith(name))
    .toSorted((a, b) => b.length - a.length)[0];
  return beginning === undefined ? undefined : listPrices[beginning];
}

export function costOf(usage: TokenUsage, price: Price): number {
  const cached = Math.min(usage.cached, usage.input);
  const dollars =
    (usage.input - cached) * price.input + cached * (price.cached_input ?? price.input) + usage.output * price.output;
  return dollars / 1_000_000;
}
