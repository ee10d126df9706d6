import { z } from "zod";
import type { SubmitRequest } from "../engine/submit.ts";
import { defined } from "../job/defined.ts";
import { webhookSchema } from "../job/webhook.ts";
import { findJob } from "./job-reference.ts";
import { jobViewSchema, toJobView } from "./job-view.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const duration = z
  .int()
  .min(1)
  .max(366 * 24 * 3_600_000);

/** What every start of a job takes, whatever its kind. */
export const startFields = {
  name: z.string().min(1).max(200).optional().describe("A name to find the job by."),
  tags: z.array(z.string().min(1).max(200)).max(50).optional(),
  batch: z.string().min(1).max(200).optional().describe("Groups jobs that belong together."),
  priority: z.int().min(-1_000).max(1_000).optional(),
  after: z.array(z.string()).max(1_000).optional().describe("Run after these jobs have succeeded."),
  delay_ms: z.int().min(0).optional(),
  idempotency_key: z.string().min(1).max(200).optional(),
  timeout_ms: duration.optional().describe("Most time one attempt may run."),
  idle_timeout_ms: duration.optional().describe("Most time without output, progress or use of the processor."),
  attempts: z.int().min(1).max(100).optional().describe("How often to try in all."),
  webhook: webhookSchema.optional().describe("Where to post the job's end and its questions."),
};

export const runCommand = defineOperation({
  name: "run_command",
  scope: "run",
  description: "Run a command in the background. It goes on whatever happens to the caller or the server.",
  input: z.strictObject({
    ...startFields,
    command: z.string().max(100_000).optional().describe("A command line for the shell."),
    argv: z.array(z.string()).max(10_000).optional().describe("A program and its arguments, run without a shell."),
    shell: z.enum(["bash", "sh"]).optional(),
    cwd: z.string().optional().describe("Working directory, absolute."),
    env: z.record(z.string(), z.string()).optional(),
    stdin: z
      .string()
      .optional()
      .describe("Text for its input; without it the input stays open and takes what is sent."),
    pty: z.boolean().optional().describe("Run on a terminal of its own, for programs that want one."),
    ready: z
      .strictObject({ pattern: z.string().optional(), port: z.int().optional(), url: z.string().optional() })
      .optional()
      .describe("How to tell that a service is up."),
    finish_with_main: z.boolean().optional().describe("Do not wait for children that outlive the main process."),
  }),
  output: jobViewSchema,
  run: async ({ engine, actor }, input) => {
    const { command, argv, shell, cwd, env, stdin, pty, ready, finish_with_main: finishWithMain } = input;
    const request = {
      kind: "shell",
      input: defined({ command, argv, shell, cwd, env, stdin, pty, ready, finishWithMain }),
      ...(await toStart(input, { engine, actor })),
    };
    const job = await engine.submit(request, actor);
    return toJobView(job);
  },
});

type StartInput = z.output<z.ZodObject<typeof startFields>>;

/** What the engine is told of a start, besides the kind and its input. What `after` names is looked up, unless it is a ref of the same call. */
export async function toStart(
  input: StartInput,
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
  refs: ReadonlySet<string> = new Set(),
): Promise<Omit<SubmitRequest, "kind" | "input">> {
  const dependsOn = (input.after ?? []).map(async (wanted) =>
    refs.has(wanted) ? wanted : (await findJob(engine, wanted, actor)).id,
  );
  return {
    dependsOn: await Promise.all(dependsOn),
    ...defined({
      name: input.name,
      tags: input.tags,
      batch: input.batch,
      priority: input.priority,
      delayMs: input.delay_ms,
      idempotencyKey: input.idempotency_key,
      webhook: input.webhook,
    }),
    limits: defined({ runMs: input.timeout_ms, idleMs: input.idle_timeout_ms, attempts: input.attempts }),
  };
}
