/** What is known of the models that agents can use. The kind makes it; operations and faces ask it. */
export interface Agents {
  /** The providers that have a key or an address. */
  readonly providers: readonly string[];
  /** Asks each of these models, or those of all classes, for one word. */
  readonly check: (references: readonly string[], signal?: AbortSignal) => Promise<ModelCheck[]>;
  /** Settings of the profile mcp-task. */
  readonly taskLimits: { readonly runMs: number; readonly idleMs?: number };
}

export interface ModelCheck {
  readonly model: string;
  /** The classes that lead to it. */
  readonly classes: readonly string[];
  readonly ok: boolean;
  readonly ms: number;
  readonly error?: string;
}
