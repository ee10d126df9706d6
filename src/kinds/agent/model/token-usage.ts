import { z } from "zod";

/** Tokens as the provider counts them. `input` contains the cached ones, `output` the reasoning. */
export const tokenUsageSchema = z.object({
  input: z.int(),
  output: z.int(),
  cached: z.int(),
  reasoning: z.int(),
});

export type TokenUsage = z.output<typeof tokenUsageSchema>;

/** What one reply used up. */
export interface ReplyUsage extends TokenUsage {
  /** Tokens that were stored for the next request. */
  readonly stored?: number;
}

export const noUsage: TokenUsage = { input: 0, output: 0, cached: 0, reasoning: 0 };

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cached: a.cached + b.cached,
    reasoning: a.reasoning + b.reasoning,
  };
}

export function totalTokens({ input, output }: TokenUsage): number {
  return input + output;
}
