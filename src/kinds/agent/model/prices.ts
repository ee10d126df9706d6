import type { ModelChoice } from "./model-names.ts";
import type { ReplyUsage } from "./token-usage.ts";

interface Rates {
  /** US dollars per million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number;
}

export interface Price extends Rates {
  readonly context_tokens?: number;
  /** What all of a request costs that has more tokens than this. */
  readonly above?: (Rates & { readonly tokens: number }) | undefined;
}

export type Prices = Readonly<Record<string, Price>>;

const million = 1_000_000;

/**
 * List prices by a model's name; the configuration overrides them, and what is not here has no known price. Gathered in November 2026
 * from the providers' documentation where it was to be had, else from models.dev and LiteLLM's model_prices_and_context_window.json.
 */
const listPrices: Prices = {
  "claude-fable-5": { input: 10, output: 50, cached_input: 1, context_tokens: million },
  "claude-opus-5-5": { input: 4, output: 20, cached_input: 0.2, context_tokens: million },
  "claude-opus-5": { input: 5, output: 25, cached_input: 0.5, context_tokens: million },
  "claude-opus-4-8": { input: 5, output: 25, cached_input: 0.5, context_tokens: million },
  "claude-opus-4-7": { input: 5, output: 25, cached_input: 0.5, context_tokens: million },
  "claude-opus-4-6": { input: 5, output: 25, cached_input: 0.5, context_tokens: million },
  "claude-opus-4-5": { input: 5, output: 25, cached_input: 0.5, context_tokens: 200_000 },
  "claude-opus-4-1": { input: 15, output: 75, cached_input: 1.5, context_tokens: 200_000 },
  "claude-sonnet-5-5": { input: 2, output: 10, cached_input: 0.1, context_tokens: million },
  "claude-sonnet-5": { input: 2, output: 10, cached_input: 0.2, context_tokens: million },
  "claude-sonnet-4-6": { input: 3, output: 15, cached_input: 0.3, context_tokens: million },
  "claude-sonnet-4-5": { input: 3, output: 15, cached_input: 0.3, context_tokens: 200_000 },
  "claude-haiku-5-5": {
    input: 0.1,
    output: 0.5,
    context_tokens: million,
    above: { tokens: 100_000, input: 0.5, output: 2.5 },
  },
  "claude-haiku-4-5": { input: 1, output: 5, cached_input: 0.1, context_tokens: 200_000 },
  "gpt-6-astra": {
    input: 10,
    output: 50,
    cached_input: 1,
    context_tokens: 922_000,
    above: { tokens: 272_000, input: 20, output: 75, cached_input: 2 },
  },
  "gpt-6-sol": {
    input: 2,
    output: 10,
    cached_input: 0.2,
    context_tokens: 922_000,
    above: { tokens: 272_000, input: 4, output: 15, cached_input: 0.4 },
  },
  "gpt-6-luna": {
    input: 0.1,
    output: 0.5,
    cached_input: 0.01,
    context_tokens: 922_000,
    above: { tokens: 272_000, input: 0.2, output: 0.75, cached_input: 0.02 },
  },
  "gpt-5.4-mini": { input: 0.75, output: 4.5, cached_input: 0.075, context_tokens: 272_000 },
  "gpt-5": { input: 1.25, output: 10, cached_input: 0.125, context_tokens: 272_000 },
  "gpt-5-mini": { input: 0.25, output: 2, cached_input: 0.025, context_tokens: 272_000 },
  "gpt-5-nano": { input: 0.05, output: 0.4, cached_input: 0.005, context_tokens: 272_000 },
  "gemini-3.1-pro-preview": {
    input: 2,
    output: 12,
    cached_input: 0.2,
    context_tokens: 1_048_576,
    above: { tokens: 200_000, input: 4, output: 18, cached_input: 0.4 },
  },
  // Half of it until the end of 2026.
  "gemini-3.8-flash": { input: 1.5, output: 7.5, cached_input: 0.15, context_tokens: 1_048_576 },
  "gemini-3.5-flash": { input: 1.5, output: 9, cached_input: 0.15, context_tokens: 1_048_576 },
  "gemini-3.5-flash-lite": { input: 0.3, output: 2.5, cached_input: 0.03, context_tokens: 1_048_576 },
  "gemini-2.5-pro": {
    input: 1.25,
    output: 10,
    cached_input: 0.125,
    context_tokens: 1_048_576,
    above: { tokens: 200_000, input: 2.5, output: 15, cached_input: 0.25 },
  },
  "gemini-2.5-flash": { input: 0.3, output: 2.5, cached_input: 0.03, context_tokens: 1_048_576 },
  "grok-4.7": {
    input: 2,
    output: 6,
    cached_input: 0.5,
    context_tokens: 500_000,
    above: { tokens: 200_000, input: 4, output: 12, cached_input: 1 },
  },
  "grok-4.3": {
    input: 1.25,
    output: 2.5,
    cached_input: 0.2,
    context_tokens: million,
    above: { tokens: 200_000, input: 2.5, output: 5, cached_input: 0.4 },
  },
};

/** A model as it was on a day, or the newest of its name. */
const version = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** The price of a model: by its full name, or by its own. Undefined where nobody knows it. */
export function findPrice({ provider, model }: ModelChoice, configured: Prices): Price | undefined {
  const exact = configured[`${provider}/${model}`] ?? configured[model];
  if (exact !== undefined) return exact;
  const own = (model.split("/").at(-1) ?? model).replace(/^claude-(\w+)-(\d)\.(\d)/, "claude-$1-$2-$3");
  const name = own.replace(version, "");
  return Object.hasOwn(listPrices, name) ? listPrices[name] : undefined;
}

/** Storing tokens for the next request costs a quarter more than reading them, where it is told apart. */
const storingShare = 0.25;

export function costOf(usage: ReplyUsage, price: Price): number {
  const { above } = price;
  const rates = above !== undefined && usage.input > above.tokens ? above : price;
  const cached = Math.min(usage.cached, usage.input);
  const dollars =
    (usage.input - cached + storingShare * (usage.stored ?? 0)) * rates.input +
    cached * (rates.cached_input ?? rates.input) +
    usage.output * rates.output;
  return dollars / million;
}
