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
  if (models.length > 1 && args["read_only"] !== true) {
    throw new LonghaulError(
      "invalid_input",
      "Multiple models with write access (read_only: false) is not allowed, because they would change the same files. Either set read_only to true, or choose a single model.",
    );
  }
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
      input: toInput(args, model),
      limits: { ...limits },
      batch,
    });
  }
  const jobs = await engine.submitMany(requests, actor);
  const ids = jobs.map(({ id }) => id);
  if (batch === undefined) {
    const message = `Task ${jobs[0]?.name} started in ${jobs[0]?.cwd}. Use check_task_status or wait_for_task with its task_id.`;
    return { task_id: ids[0], status: "pending", message };
  }
  const message = `Batch of ${ids.length} tasks started in ${jobs[0]?.cwd}. Use wait_for_task or list_tasks with its batch_id.`;
  return { batch_id: batch, task_ids: ids, status: "pending", message };
}

function readModels(given: unknown): { models: string[]; isBatch: boolean } {
  const value = typeof given === "string" && given.trim().startsWith("[") ? (tryParseJson(given) ?? given) : given;
  const list = (Array.isArray(value) ? value : [value ?? "standard"]) as unknown[];
  const models = list.filter((name): name is string => typeof name === "string" && name.trim() !== "");
  if (models.length < list.length || models.length === 0) {
    throw new LonghaulError("invalid_input", "model must be a model's name, a class, or a list of them");
  }
  return { models, isBatch: Array.isArray(value) };
}

/** The engine checks what the client has written. */
function toInput(args: Arguments, model: string): Partial<Record<keyof AgentInput, unknown>> {
  const { task, context, output, files, cwd, read_only: readOnly } = args;
  return { task, context, output, files, cwd, read_only: readOnly === true, model };
}
