import type { ClientDefaults } from "../job/client-defaults.ts";
import type { ModelCheck } from "../kinds/agent/contract.ts";

/** What is known of the models that agents can use. The kind makes it; operations and faces ask it. */
export interface Agents {
  /** The providers that have a key or an address. */
  readonly providers: readonly string[];
  /** Asks each of these models, or those of all classes, for one word. */
  readonly check: (
    references: readonly string[],
    signal?: AbortSignal,
    client?: ClientDefaults,
  ) => Promise<ModelCheck[]>;
  /** Settings of the profile mcp-task. */
  readonly taskLimits: { readonly runMs: number; readonly idleMs?: number; readonly maxSteps: number };
}
