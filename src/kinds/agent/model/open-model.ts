import type { LanguageModel } from "ai";
import { LonghaulError } from "../../../job/error.ts";
import type { ModelChoice, Providers } from "./model-names.ts";

type Fetch = typeof globalThis.fetch;

/** A model that thinks before it writes may be silent for long; the job's own limits decide how long is too long. */
const silenceMs = 1_800_000;

/** HTTP for model calls, with connections of its own that can be closed. Loaded when it is first used. */
export function createFetch(): { fetch: Fetch; close: () => Promise<void> } {
  let agent: Promise<{ fetch: Fetch; close: () => Promise<void> }> | undefined;
  const open = async (): Promise<{ fetch: Fetch; close: () => Promise<void> }> => {
    const { Agent, fetch } = await import("undici");
    const dispatcher = new Agent({ headersTimeout: silenceMs, bodyTimeout: silenceMs });
    const send = (input: unknown, init: unknown): unknown =>
      fetch(input as string, { ...(init as object), dispatcher });
    return { fetch: send as Fetch, close: () => dispatcher.destroy() };
  };
  return {
    fetch: async (input, init) => (await (agent ??= open())).fetch(input, init),
    close: async () => (await agent)?.close(),
  };
}

export async function openModel(
  { provider, model }: ModelChoice,
  providers: Providers,
  fetch: Fetch,
): Promise<LanguageModel> {
  const settings = providers[provider];
  if (settings === undefined) {
    throw new LonghaulError("invalid_input", `The provider "${provider}" is no longer configured.`);
  }
  // A key is always given, because the SDK would read the environment for one.
  const common = {
    fetch,
    apiKey: settings.apiKey ?? "none",
    ...(settings.baseUrl === undefined ? {} : { baseURL: settings.baseUrl }),
  };
  switch (settings.type) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic({
        baseURL: "https://api.anthropic.com/v1",
        ...common,
      })(model);
    case "google":
      return (await import("@ai-sdk/google")).createGoogleGenerativeAI(common)(model);
    case "openai-compatible":
      return (await import("@ai-sdk/openai-compatible")).createOpenAICompatible({
        ...common,
        baseURL: settings.baseUrl ?? "",
        name: provider,
        includeUsage: true,
        transformRequestBody: common.baseURL?.startsWith("https://api.openai.com/") === true ? forOpenAi : undefined,
      })(model);
    default:
      throw new Error(`unexpected type of provider: ${String(settings.type satisfies never)}`);
  }
}

/** OpenAI's newer models refuse the name that all others know. */
function forOpenAi({ max_tokens: maxTokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return maxTokens === undefined ? body : { ...body, max_completion_tokens: maxTokens };
}
