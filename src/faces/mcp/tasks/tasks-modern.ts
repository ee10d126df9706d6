import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { readActivity } from "./activity.ts";
import { answerAll } from "./submit-answers.ts";
import type { JobsConnection } from "../connection.ts";
import { readOutcome } from "./outcome.ts";
import { toDetailedTask, type DetailedTask } from "./job-to-task.ts";
import { requireTasks } from "../protocol/protocol-names.ts";
import { refuseTask } from "./refusal.ts";

const params = z.looseObject({ taskId: z.string() });
const result = z.looseObject({});

type Task = z.output<typeof params>;

/**
 * `tasks/get`, `tasks/update` and `tasks/cancel` of revision 2026-07-28. Whether the client takes tasks is checked before the id is looked up.
 */
export function installTasks(mcp: McpServer, connection: JobsConnection): void {
  const { engine, actor } = connection;
  const handle = (
    method: string,
    run: (taskId: string, context: ServerContext) => Promise<Record<string, unknown>>,
  ): void =>
    // The form with schemas is what lets these methods through in this revision.
    mcp.server.setRequestHandler(method, { params, result }, async ({ taskId }: Task, context) => {
      requireTasks(context);
      return run(taskId, context).catch(refuseTask);
    });
  handle("tasks/get", async (taskId) => ({ ...(await readTask(taskId, connection)) }));
  handle("tasks/cancel", async (taskId) => {
    await engine.cancel(taskId, "cancelled by its client", actor);
    return {};
  });
  handle("tasks/update", async (taskId, context) => {
    await answerAll(taskId, context.mcpReq.inputResponses ?? {}, connection);
    return {};
  });
}

/** A task in full, as it is now: what `tasks/get` answers and what a listener is told. */
export async function readTask(taskId: string, connection: JobsConnection): Promise<DetailedTask> {
  const { engine, actor } = connection;
  const job = await engine.get(taskId, actor);
  const outcome = await connection.outcomes.get(job, () =>
    readOutcome(job, connection, (ended) => connection.present(undefined, ended)),
  );
  const questions = job.state.status === "waiting" ? await engine.questions(job.id, actor) : [];
  return toDetailedTask(job, Date.now(), { outcome, questions, activity: await readActivity(job, connection) });
}
