import { LonghaulError } from "../../../job/error.ts";

export interface ProviderSettings {
  readonly type: "anthropic" | "google" | "openai-compatible";
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

export type Providers = Readonly<Record<string, ProviderSettings>>;

/** Which model to call, and where: `anthropic/claude-opus-5-5`. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

export interface ModelTable {
  /** The providers that can be used: those that have a key or an address. */
  readonly providers: Providers;
  /** What the configuration says of classes: a model, or several to try in turn. */
  readonly classes: Readonly<Record<string, string | readonly string[]>>;
}

export const modelClasses = [
  "reasoning",
  "vision",
  "standard",
  "mini",
  "reasoning_mini",
  "code",
  "writing",
  "summary",
  "vision_mini",
  "long",
] as const;

/**
 * The models of each provider by strength. What a class needs is found here unless the configuration says otherwise. Read in
 * November 2026 in the documentation of the providers and of OpenRouter.
 */
const defaultModels: Readonly<Record<string, { strong: string; usual: string; small: string }>> = {
  anthropic: { strong: "claude-opus-5-5", usual: "claude-sonnet-5-5", small: "claude-haiku-5-5" },
  openai: { strong: "gpt-6-astra", usual: "gpt-6-sol", small: "gpt-6-luna" },
  google: { strong: "gemini-3.1-pro-preview", usual: "gemini-3.8-flash", small: "gemini-3.5-flash-lite" },
  xai: { strong: "grok-4.7", usual: "grok-4.7", small: "grok-4.3" },
  deepseek: { strong: "deepseek-v4-pro", usual: "deepseek-flash", small: "deepseek-flash" },
  openrouter: {
    strong: "anthropic/claude-opus-5.5",
    usual: "anthropic/claude-sonnet-5.5",
    small: "anthropic/claude-haiku-5.5",
  },
};

const strengths: Readonly<Record<string, "strong" | "usual" | "small">> = {
  reasoning: "strong",
  code: "usual",
  standard: "usual",
  writing: "usual",
  vision: "usual",
  long: "usual",
  mini: "small",
  reasoning_mini: "small",
  summary: "small",
  vision_mini: "small",
};

/** Whose model a bare name is, and what OpenRouter calls that provider. */
const prefixes: readonly [RegExp, provider: string, vendor: string][] = [
  [/^claude-/, "anthropic", "anthropic"],
  [/^(gpt-|o\d|chatgpt-|codex-)/, "openai", "openai"],
  [/^gemini-/, "google", "google"],
  [/^grok-/, "xai", "x-ai"],
  [/^deepseek-/, "deepseek", "deepseek"],
];

const defaultClass = "standard";

/** The models that are meant, in the order in which they are tried. Refused unless there is one that can be called. */
export function findModels(references: readonly string[], table: ModelTable): ModelChoice[] {
  if (Object.keys(table.providers).length === 0) throw noProvider();
  const wanted = references.length === 0 ? [defaultClass] : references;
  const found = wanted.flatMap((reference) => findChoices(reference.trim(), table));
  const isFirst = (choice: ModelChoice, index: number): boolean =>
    found.findIndex(({ provider, model }) => provider === choice.provider && model === choice.model) === index;
  return found.filter(isFirst);
}

export function modelLabel({ provider, model }: ModelChoice): string {
  return `${provider}/${model}`;
}

function findChoices(reference: string, table: ModelTable): ModelChoice[] {
  const name = reference.toLowerCase();
  const configured = Object.hasOwn(table.classes, name) ? table.classes[name] : undefined;
  if (configured !== undefined) {
    const models = typeof configured === "string" ? [configured] : configured;
    return models.map((model) => findModel(model, table.providers));
  }
  return Object.hasOwn(strengths, name)
    ? defaultChoices(name, table.providers)
    : [findModel(reference, table.providers)];
}

function defaultChoices(name: string, providers: Providers): ModelChoice[] {
  const strength = strengths[name] ?? "usual";
  const choices = Object.entries(defaultModels)
    .filter(([provider]) => Object.hasOwn(providers, provider))
    .map(([provider, models]) => ({ provider, model: models[strength] }));
  if (choices.length > 0) return choices;
  throw new LonghaulError(
    "invalid_input",
    `No model is known for the class "${name}" with ${listOf(providers)}: set agent.classes.${name} in the configuration to one such as "${Object.keys(providers)[0]}/MODEL".`,
  );
}

function findModel(reference: string, providers: Providers): ModelChoice {
  const [first = "", ...rest] = reference.split("/");
  const has = (provider: string): boolean => Object.hasOwn(providers, provider);
  if (rest.length > 0 && has(first)) return { provider: first, model: rest.join("/") };
  const known = prefixes.find(([prefix, provider]) => (rest.length > 0 ? provider === first : prefix.test(reference)));
  if (rest.length === 0 && known !== undefined && has(known[1])) return { provider: known[1], model: reference };
  if (has("openrouter") && (rest.length > 0 || known !== undefined)) {
    return { provider: "openrouter", model: rest.length > 0 ? reference : `${known?.[2]}/${reference}` };
  }
  const [only, ...others] = Object.keys(providers).filter((name) => !Object.hasOwn(defaultModels, name));
  if (known === undefined && rest.length === 0 && only !== undefined && others.length === 0) {
    return { provider: only, model: reference };
  }
  const hint = known === undefined ? "give it as PROVIDER/MODEL" : `set ${keyNames[known[1]] ?? "its key"}`;
  throw new LonghaulError(
    "invalid_input",
    `No configured provider has the model "${reference}" (there are ${listOf(providers)}): ${hint}, or name a class such as ${defaultClass}.`,
  );
}

const keyNames: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY or OPENAI_BASE_URL",
  google: "GOOGLE_API_KEY",
  xai: "XAI_API_KEY",
  deepseek: "DEEPSEEK_API_KEY",
};

function noProvider(): LonghaulError {
  return new LonghaulError(
    "unavailable",
    "No model can be called: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_API_KEY, XAI_API_KEY, DEEPSEEK_API_KEY or OPENROUTER_API_KEY, or a base URL (OPENAI_BASE_URL, ANTHROPIC_BASE_URL, OLLAMA_HOST, or agent.providers in the configuration), in your own environment or in that of the server, and restart it; or choose an installed program with backend.",
    { details: { lacks: "model" } },
  );
}

function listOf(providers: Providers): string {
  return Object.keys(providers).join(", ");
}
