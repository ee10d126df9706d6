import { randomBytes } from "node:crypto";
import type { SubmitRequest } from "../../../engine/submit.ts";
import { LonghaulError } from "../../../job/error.ts";
import { agentContract, type AgentInput } from "../../../kinds/agent/contract.ts";
import type { CallContext } from "../profile.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import { makeName, type Arguments } from "./task-reference.ts";

/** Starts one task, or a batch with one for each model, as soon as the models come as a list. */
export async function runTask(context: CallContext, args: Arguments): Promise<Record<string, unknown>> {
  const { task } = args;
  if (typeof task !== "string" || task.trim() === "") {
    throw new LonghaulError("invalid_input", "Task parameter is required and must be a string");
  }
  const { models, isBatch } = readModels(args["model"] ?? args["models"]);
  if (models.length > 1 && args["read_only"] !== true) throw manyWriters();
  const batch = isBatch ? `batch-${Date.now()}-${randomBytes(5).readUIntBE(0, 5).toString(36)}` : undefined;
  const { engine, server } = context;
  const limits = server.agents?.taskLimits;
  const actor = args["cwd"] === undefined ? await context.actorInFolder() : context.actor;
  const taken = new Set<string>();
  const requests: SubmitRequest[] = [];
  for (const model of models) {
    const name = await makeName(model, task, taken, { engine, actor });
    requests.push({
      kind: agentContract.name,
      name,
      input: { max_steps: limits?.maxSteps, ...toInput(args, model) },
      // Counted from now on, whatever the task does: also while it waits for an answer.
      limits: { totalMs: limits?.runMs, idleMs: limits?.idleMs },
      batch,
    });
  }
  const jobs = await engine.submitMany(requests, actor);
  const ids = jobs.map(({ id }) => id);
  const place = `in ${jobs[0]?.cwd}`;
  if (batch === undefined) {
    const message = `Task queued for execution. Use check_task_status to monitor progress. It is named ${jobs[0]?.name} and works ${place}.`;
    return { task_id: ids[0], status: "pending", message };
  }
  const message = `${ids.length} tasks queued for execution. Use list_tasks with batch_id to monitor progress. They work ${place}.`;
  return { batch_id: batch, task_ids: ids, status: "pending", message };
}

function manyWriters(): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    [
      "Multiple models with write access (read_only: false) is not allowed to prevent file conflicts. Please either:",
      "1. Set read_only: true when using multiple models, or",
      "2. Use a single model when write access is needed.",
    ].join("\n"),
  );
}

/** Told apart from the names of models by being written in any case. */
export const classNames = [
  ...(["reasoning", "vision", "standard", "mini", "reasoning_mini", "code", "writing"] as const),
  ...(["summary", "vision_mini", "long"] as const),
];

function readModels(given: unknown): { models: string[]; isBatch: boolean } {
  const value = typeof given === "string" && given.trim().startsWith("[") ? (tryParseJson(given) ?? given) : given;
  const list = (Array.isArray(value) ? value : [value ?? "standard"]) as unknown[];
  const named = list.filter((name): name is string => typeof name === "string" && name.trim() !== "");
  const models = named.map((name) => classNames.find((known) => known === name.trim().toLowerCase()) ?? name);
  if (models.length < list.length || models.length === 0) {
    throw new LonghaulError("invalid_input", "model must be a model's name, a class, or a list of them");
  }
  return { models, isBatch: Array.isArray(value) };
}

/** The engine checks what the client has written. What was not given is left to the kind. */
function toInput(args: Arguments, model: string): Partial<Record<keyof AgentInput, unknown>> {
  const given = inputFields.flatMap((field) => (args[field] === undefined ? [] : [[field, args[field]]]));
  return { ...(Object.fromEntries(given) as object), model };
}

const inputFields = [
  ...(["task", "context", "output", "files", "read_only", "cwd"] as const),
  ...(["max_steps", "max_tokens", "max_cost_usd"] as const),
] satisfies (keyof AgentInput)[];
