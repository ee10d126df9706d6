import { randomBytes } from "node:crypto";
import type { SubmitRequest } from "../../../engine/submit.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Agents } from "../../../operations/agents.ts";
import type { JobAccess } from "../job-tool.ts";
import { makeName, type Arguments } from "./task-reference.ts";

/** Starts one task, or a batch with one for each model, as soon as the models come as a list. */
export async function runTask(
  args: Arguments,
  access: JobAccess,
  limits: Agents["taskLimits"] | undefined,
): Promise<Record<string, unknown>> {
  const { task } = args;
  if (typeof task !== "string" || task.trim() === "") {
    throw new LonghaulError("invalid_input", "Task parameter is required and must be a string");
  }
  const { models, isBatch } = readModels(args["model"] ?? args["models"]);
  if (models.length > 1 && args["read_only"] !== true) {
    throw new LonghaulError(
      "invalid_input",
      "Multiple models with write access (read_only: false) is not allowed, because they would change the same files. Either set read_only to true, or choose a single model.",
    );
  }
  const batch = isBatch ? `batch-${Date.now()}-${randomBytes(5).readUIntBE(0, 5).toString(36)}` : undefined;
  const taken = new Set<string>();
  const requests: SubmitRequest[] = [];
  for (const model of models) {
    const name = await makeName(model, task, taken, access);
    requests.push({
      ...{ kind: "agent", name, input: toInput(args, model), limits: { ...limits } },
      ...(batch === undefined ? {} : { batch }),
    });
  }
  const jobs = await access.engine.submitMany(requests, access.actor);
  const ids = jobs.map(({ id }) => id);
  if (batch === undefined) {
    const message = `Task ${jobs[0]?.name} started. Use check_task_status or wait_for_task with its task_id.`;
    return { task_id: ids[0], status: "pending", message };
  }
  const message = `Batch of ${ids.length} tasks started. Use wait_for_task or list_tasks with its batch_id.`;
  return { batch_id: batch, task_ids: ids, status: "pending", message };
}

function readModels(given: unknown): { models: string[]; isBatch: boolean } {
  const value = typeof given === "string" && given.trim().startsWith("[") ? parseList(given) : given;
  const list = (Array.isArray(value) ? value : [value ?? "standard"]) as unknown[];
  const models = list.filter((name): name is string => typeof name === "string" && name.trim() !== "");
  if (models.length < list.length || models.length === 0) {
    throw new LonghaulError("invalid_input", "model must be a model's name, a class, or a list of them");
  }
  return { models, isBatch: Array.isArray(value) };
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toInput(args: Arguments, model: string): Record<string, unknown> {
  const { task, context, output, files, cwd, read_only: readOnly } = args;
  const optional = Object.entries({ context, output, files, cwd }).filter(([, value]) => value !== undefined);
  return { task, models: [model], readOnly: readOnly === true, ...Object.fromEntries(optional) };
}
