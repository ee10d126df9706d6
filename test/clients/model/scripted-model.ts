/** What a client showed its model, whatever the wire format. */
export interface ModelRequest {
  /** Names as the client gives them to its model. */
  readonly tools: readonly string[];
  readonly prompt: string;
  /** What tools answered, oldest first, exactly as the model is shown it. */
  readonly results: readonly string[];
  readonly instructions: string;
  readonly body: unknown;
}

/** What the model does next. */
export type Step = (
  | { readonly call: string; readonly input: object | ((request: ModelRequest) => object) }
  | { readonly say: string }
) & {
  /** Happens after the client has asked and before it is answered: the moment is exact, however slow the machine. */
  readonly before?: () => Promise<void>;
};

/** The reply, in no format yet. */
export type Reply = { readonly text: string } | { readonly tool: string; readonly input: object };

/** Plays a script: every request of the conversation gets the next step. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  #steps: Step[] = [];
  #answering = 0;
  #said = "";

  play(steps: readonly Step[]): void {
    this.#steps = [...steps];
    this.requests.length = 0;
    this.#said = "";
  }

  /** What the tool that was called last answered, as the model was shown it. */
  get lastResult(): string {
    return this.requests.at(-1)?.results.at(-1) ?? "";
  }

  /** What it said at the end of its script; nothing before that. */
  get lastWords(): string {
    return this.#steps.length === 0 && this.#answering === 0 ? this.#said : "";
  }

  async answer(request: ModelRequest): Promise<Reply> {
    this.#answering += 1;
    try {
      return await this.#answer(request);
    } finally {
      this.#answering -= 1;
    }
  }

  async #answer(request: ModelRequest): Promise<Reply> {
    // Titles and the like are asked for without tools, and are no part of the conversation.
    if (request.tools.length === 0) return { text: "Title" };
    this.requests.push(request);
    const step = this.#steps.shift();
    await step?.before?.();
    if (step === undefined) return { text: "Nothing is left to do." };
    if ("say" in step) {
      this.#said = step.say;
      return { text: step.say };
    }
    const input = typeof step.input === "function" ? step.input(request) : step.input;
    return { tool: findTool(request.tools, step.call), input };
  }
}

/** Every client puts something of its own before the name of a tool. */
function findTool(tools: readonly string[], name: string): string {
  const found = tools.find((tool) => tool === name || tool.endsWith(`_${name}`) || tool.endsWith(`/${name}`));
  return found ?? `mcp__longhaul__${name}`;
}
