import { ProtocolError, ProtocolErrorCode, RELATED_TASK_META_KEY } from "@modelcontextprotocol/server";
import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { readActivity } from "./activity.ts";
import type { JobsConnection } from "../connection.ts";
import type { LegacyPushes } from "./legacy-pushes.ts";
import { readOutcome } from "./outcome.ts";
import { toLegacyTask } from "./job-to-task.ts";
import { refuseTask } from "./refusal.ts";
import { sayStatus } from "../../../job/status-words.ts";

const params = z.looseObject({ taskId: z.string() });
const result = z.looseObject({});
const listParams = z.looseObject({ cursor: z.string().optional() });

/** A cancelled job may take so long to clean up before its client is told that it is cancelled. */
const cancelWaitMs = 10_000;

/** The tasks of revision 2025-11-25. */
export function installLegacyTasks(mcp: McpServer, connection: JobsConnection, pushes: LegacyPushes): void {
  const { engine, actor, isIdentified } = connection;
  const handle = (
    method: string,
    run: (taskId: string, context: ServerContext) => Promise<Record<string, unknown>>,
  ): void =>
    mcp.server.setRequestHandler(method, { params, result }, ({ taskId }, context) =>
      run(taskId, context).catch(refuseTask),
    );
  mcp.server.registerCapabilities({
    tasks: { ...(isIdentified ? { list: {} } : {}), cancel: {}, requests: { tools: { call: {} } } },
  });
  handle("tasks/get", async (taskId) => {
    const job = await engine.get(taskId, actor);
    pushes.arm(job);
    return toLegacyTask(job, Date.now(), await readActivity(job, connection));
  });
  handle("tasks/result", (taskId, context) => awaitResult(taskId, context, connection, pushes));
  handle("tasks/cancel", (taskId) => cancel(taskId, connection));
  if (!isIdentified) return;
  mcp.server.setRequestHandler("tasks/list", { params: listParams, result }, async ({ cursor }) => {
    const page = await engine.list({}, { limit: 50, cursor }, actor).catch(refuseTask);
    const tasks = page.jobs.map((job) => toLegacyTask(job, Date.now()));
    return { tasks, nextCursor: page.cursor };
  });
}

/** Blocks until the job has ended, and meanwhile puts its questions on this request's stream. */
async function awaitResult(
  taskId: string,
  context: ServerContext,
  connection: JobsConnection,
  pushes: LegacyPushes,
): Promise<Record<string, unknown>> {
  const { engine, actor } = connection;
  const { signal } = context.mcpReq;
  let job = await engine.get(taskId, actor);
  while (!isTerminal(job.state) && !signal.aborted) {
    const isAsking = job.state.status === "waiting";
    if (isAsking) void pushes.ask(taskId, context).catch(() => undefined);
    // While it waits for an answer, only its next event tells that there was one.
    if (isAsking) await nextEvent(job, connection, signal);
    else await engine.wait(taskId, { until: "question", signal, ...actor });
    job = await engine.get(taskId, actor);
  }
  return toPayload(job, connection);
}

async function nextEvent(job: Job, { engine, actor }: JobsConnection, signal: AbortSignal): Promise<void> {
  for await (const _event of engine.follow(job.id, { after: job.lastSeq, signal, ...actor })) return;
}

async function toPayload(job: Job, connection: JobsConnection): Promise<Record<string, unknown>> {
  const outcome = await readOutcome(job, connection, (ended) => connection.present(undefined, ended));
  if (outcome?.type === "result") {
    return { ...outcome.result, _meta: { ...outcome.result._meta, [RELATED_TASK_META_KEY]: { taskId: job.id } } };
  }
  const error = outcome?.error ?? { code: ProtocolErrorCode.InternalError, message: `Task ${job.id} was cancelled.` };
  throw new ProtocolError(error.code, error.message);
}

async function cancel(taskId: string, { engine, actor }: JobsConnection): Promise<Record<string, unknown>> {
  const job = await engine.get(taskId, actor);
  if (isTerminal(job.state)) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Task ${taskId} cannot be cancelled: it ${sayStatus(job.state.status)}.`,
    );
  }
  await engine.cancel(taskId, "cancelled by its client", actor);
  await engine.wait(taskId, { timeoutMs: cancelWaitMs, ...actor });
  return toLegacyTask(await engine.get(taskId, actor), Date.now());
}
