import type {
  jsonSchema as JsonSchema,
  LanguageModel,
  ModelMessage,
  SystemModelMessage,
  TextStreamPart,
  ToolSet,
} from "ai";
import { toModelError } from "./model-error.ts";
import { createFetch, openModel } from "./open-model.ts";
import type { ModelChoice, Providers } from "./model-names.ts";
import { noUsage, type ReplyUsage } from "./token-usage.ts";

/** The only file that calls the AI SDK: a newer version of it is a change here, and in open-model.ts. */
export type Message = ModelMessage;

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Record<string, unknown>;
}

export interface ModelRequest {
  readonly choice: ModelChoice;
  readonly instructions: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
  /** Called with each piece of text as it comes. */
  readonly onText: (text: string) => void;
  /** Called for every sign of life, with whether it is a piece of what the model writes: an answer, a thought, a call. */
  readonly onActivity: (isPiece: boolean) => void;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Set when the arguments were no JSON. */
  readonly problem?: string;
}

export interface ModelReply {
  readonly message: Message;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly usage: ReplyUsage;
  /** It ended because it may not be longer. */
  readonly isCut: boolean;
}

export interface ModelClient {
  /** Makes exactly one call. Rejects with a ModelError, or with the signal's reason. */
  readonly call: (request: ModelRequest) => Promise<ModelReply>;
  readonly close: () => Promise<void>;
}

export function createModelClient(providers: Providers): ModelClient {
  const connection = createFetch();
  const models = new Map<string, Promise<LanguageModel>>();
  const open = (choice: ModelChoice): Promise<LanguageModel> => {
    const key = `${choice.provider}/${choice.model}`;
    const known = models.get(key) ?? openModel(choice, providers, connection.fetch);
    models.set(key, known);
    return known;
  };
  return {
    call: async (request) => {
      const model = await open(request.choice);
      return streamOnce(model, request, providers[request.choice.provider]?.type === "anthropic");
    },
    close: connection.close,
  };
}

async function streamOnce(model: LanguageModel, request: ModelRequest, isCached: boolean): Promise<ModelReply> {
  const { signal } = request;
  signal.throwIfAborted();
  const { jsonSchema, streamText } = await import("ai");
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  // Aborted without a reason: with one, version 6 throws instead of ending the stream.
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal.addEventListener("abort", abort);
  try {
    const result = streamText({
      model,
      system: isCached ? toCachedSystem(request.instructions) : request.instructions,
      messages: isCached ? markForCache(request.messages) : [...request.messages],
      tools: toToolSet(request.tools, jsonSchema),
      maxRetries: 0,
      maxOutputTokens: request.maxOutputTokens,
      abortSignal: controller.signal,
      // Errors arrive as parts; without this they are printed as well.
      onError: () => undefined,
    });
    const gathered = await gather(result.fullStream, request);
    signal.throwIfAborted();
    if (gathered.error !== undefined) throw gathered.error;
    const { messages } = await result.response;
    const content = messages.flatMap((message) =>
      message.role === "assistant" && Array.isArray(message.content) ? message.content : [],
    );
    return { ...gathered, message: { role: "assistant", content } };
  } catch (error) {
    signal.throwIfAborted();
    throw toModelError(error, request.choice);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

type Gathered = Pick<ModelReply, "text" | "calls" | "usage" | "isCut"> & { readonly error?: unknown };

async function gather(stream: AsyncIterable<TextStreamPart<ToolSet>>, request: ModelRequest): Promise<Gathered> {
  let text = "";
  const calls: ToolCall[] = [];
  let usage: ReplyUsage = noUsage;
  let isCut = false;
  for await (const part of stream) {
    request.onActivity(part.type.endsWith("-delta"));
    if (part.type === "text-delta") {
      text += part.text;
      request.onText(part.text);
    } else if (part.type === "tool-call") {
      const problem = "invalid" in part && part.invalid === true ? "Its arguments were not JSON." : undefined;
      const call = { id: part.toolCallId, name: part.toolName, input: part.input };
      calls.push(problem === undefined ? call : { ...call, problem });
    } else if (part.type === "finish-step") {
      isCut = part.finishReason === "length";
      const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } = part.usage;
      usage = {
        input: inputTokens ?? 0,
        output: outputTokens ?? 0,
        cached: inputTokenDetails.cacheReadTokens ?? 0,
        reasoning: outputTokenDetails.reasoningTokens ?? 0,
        stored: inputTokenDetails.cacheWriteTokens ?? 0,
      };
    } else if (part.type === "error") return { text, calls, usage, isCut, error: part.error };
  }
  return { text, calls, usage, isCut };
}

/** Without `execute`: the loop runs the tools itself, and stores what they said before it goes on. */
function toToolSet(tools: readonly ToolDescription[], jsonSchema: typeof JsonSchema): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, parameters }) => [name, { description, inputSchema: jsonSchema(parameters) }]),
  );
}

const cached = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Tools and instructions are the same in every request of a run, and in those of the next one in the same place. */
function toCachedSystem(instructions: string): SystemModelMessage {
  return { role: "system", content: instructions, providerOptions: cached };
}

/**
 * Everything up to the last message is the same next time: Anthropic's models then read it at a tenth of the price. What was last in the
 * request before is marked again, because only so far back from a mark is looked for what is known.
 */
function markForCache(messages: readonly Message[]): Message[] {
  const last = messages.length - 1;
  const before = messages.findLastIndex(({ role }) => role === "assistant") - 1;
  return messages.map((message, index) =>
    index === last || index === before ? { ...message, providerOptions: cached } : message,
  );
}
