import { RELATED_TASK_META_KEY, type McpServer, type ServerContext } from "@modelcontextprotocol/server";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { toAnswer } from "./submit-answers.ts";
import type { JobsConnection } from "../connection.ts";
import { openQuestions, toElicitation, toLegacyTask } from "./job-to-task.ts";

/** The longest that a timer can run: a person may take days to answer. */
const longestTimerMs = 2_147_483_647;

/**
 * What a server of revision 2025-11-25 sends on its own accord: status notifications, and the questions of a job as requests to
 * its client. A task is armed by the first look at it: sent earlier, a question could overtake the answer that made the task known.
 */
export class LegacyPushes {
  readonly #mcp: McpServer;
  readonly #connection: JobsConnection;
  readonly #armed = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(mcp: McpServer, connection: JobsConnection) {
    this.#mcp = mcp;
    this.#connection = connection;
  }

  /** Follows the task until it ends or the connection does. */
  arm(job: Job): void {
    if (isTerminal(job.state)) return;
    if (job.state.status === "waiting") void this.ask(job.id);
    if (this.#armed.has(job.id)) return;
    this.#armed.add(job.id);
    void this.#follow(job)
      .catch(() => undefined)
      .finally(() => this.#armed.delete(job.id));
  }

  /**
   * Puts the open questions of a job to the client; each is under way only once. With the context of a waiting `tasks/result`
   * they travel on its stream, which some clients read and nothing else.
   */
  async ask(taskId: string, context?: ServerContext): Promise<void> {
    const { engine, actor, canPush, signal } = this.#connection;
    if (this.#mcp.server.getClientCapabilities()?.elicitation === undefined) return;
    if (context === undefined && !canPush()) return;
    const open = openQuestions(await engine.questions(taskId, actor));
    const asking = open.map(async ({ key, question }) => {
      const asked = `${taskId}/${key}`;
      if (this.#asked.has(asked)) return;
      this.#asked.add(asked);
      try {
        const request = {
          method: "elicitation/create",
          params: { ...toElicitation(question), _meta: { [RELATED_TASK_META_KEY]: { taskId } } },
        } as const;
        const options = { timeout: longestTimerMs, signal };
        const response: unknown = await (context === undefined
          ? this.#mcp.server.request(request, options)
          : context.mcpReq.send(request, options));
        await engine.answer(taskId, key, toAnswer(response), actor);
      } finally {
        this.#asked.delete(asked);
      }
    });
    // A question that could not be put, or whose answer does not fit, stays open and can be answered elsewhere.
    await Promise.allSettled(asking);
  }

  async #follow(job: Job): Promise<void> {
    const { engine, actor, signal } = this.#connection;
    let told = job.state.status;
    for await (const event of engine.follow(job.id, { after: job.lastSeq, signal, ...actor })) {
      if (event.type === "question-asked") void this.ask(job.id).catch(() => undefined);
      const current = await engine.get(job.id, actor);
      if (current.state.status === told) continue;
      told = current.state.status;
      await this.#tell(current);
    }
  }

  async #tell(job: Job): Promise<void> {
    if (!this.#connection.canPush()) return;
    await this.#mcp.server
      .notification({ method: "notifications/tasks/status", params: toLegacyTask(job, Date.now()) })
      .catch(() => undefined);
  }
}
