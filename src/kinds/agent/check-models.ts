import { messageOf } from "../../job/failure.ts";
import type { ModelCheck } from "./contract.ts";
import type { ModelClient } from "./model/call-model.ts";
import { findModels, modelClasses, modelLabel, type ModelChoice, type ModelTable } from "./model/model-names.ts";

const patienceMs = 60_000;

/** Asks models for one word each: those that are named, else the first of every class. */
export async function checkModels(
  references: readonly string[],
  table: ModelTable,
  client: ModelClient,
  signal?: AbortSignal,
): Promise<ModelCheck[]> {
  const wanted = new Map<string, { choice: ModelChoice; classes: string[] }>();
  for (const reference of references.length > 0 ? references : modelClasses) {
    for (const choice of references.length > 0 ? findModels([reference], table) : firstOf(reference, table)) {
      const known = wanted.get(modelLabel(choice)) ?? { choice, classes: [] };
      if (modelClasses.some((name) => name === reference)) known.classes.push(reference);
      wanted.set(modelLabel(choice), known);
    }
  }
  return Promise.all(
    [...wanted].map(async ([model, { choice, classes }]) => ({
      model,
      classes,
      ...(await ask(choice, client, signal)),
    })),
  );
}

/** A class that has no model is no fault, as long as another one has. */
function firstOf(name: string, table: ModelTable): ModelChoice[] {
  if (Object.keys(table.providers).length === 0) return findModels([], table);
  try {
    return findModels([name], table).slice(0, 1);
  } catch {
    return [];
  }
}

async function ask(
  choice: ModelChoice,
  client: ModelClient,
  signal: AbortSignal | undefined,
): Promise<Pick<ModelCheck, "ok" | "ms" | "error">> {
  const startedAt = performance.now();
  const patience = AbortSignal.timeout(patienceMs);
  const ms = (): number => Math.round(performance.now() - startedAt);
  try {
    await client.call({
      choice,
      instructions: "Answer with one word.",
      messages: [{ role: "user", content: "Say OK." }],
      tools: [],
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
      onText: () => undefined,
      onActivity: () => undefined,
    });
    return { ok: true, ms: ms() };
  } catch (error) {
    return { ok: false, ms: ms(), error: messageOf(error).replace(`${modelLabel(choice)} `, "") };
  }
}
