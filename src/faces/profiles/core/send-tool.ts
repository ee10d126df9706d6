import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { answerSchema, type Answer, type AskedQuestion } from "../../../job/question.ts";
import { findJob } from "../../../operations/job-reference.ts";
import { describeJob, jobAnswer, jobSend } from "../../../operations/job.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { openQuestions } from "../../mcp/tasks/job-to-task.ts";
import { defineTool } from "../profile.ts";
import { changes } from "./manage-tools.ts";
import { replyTo } from "./reply.ts";

const input = jobSend.input.pick({ id: true }).extend({
  text: z
    .string()
    .max(1_000_000)
    .optional()
    .describe("For standard input (a line end is added), or the answer to its only question."),
  answer: z
    .strictObject({
      action: z.enum(["accept", "decline", "cancel"]),
      content: z.record(z.string(), z.unknown()).optional(),
    })
    .optional()
    .describe("The answer to a question."),
  key: z.string().optional().describe("Which question, if there are several."),
});

type SendInput = z.output<typeof input>;

export const sendTool = defineTool({
  name: "job_send",
  description:
    "Send input to a background job: text for its standard input (stdin), or the answer to a question it asks.",
  input,
  annotations: changes(false, false),
  isOnceOnly: true,
  run: send,
});

async function send(context: OperationContext, wanted: SendInput): Promise<CallToolResult> {
  const { text, answer, key } = wanted;
  if ((text === undefined) === (answer === undefined)) {
    throw new LonghaulError("invalid_input", "Give either text or an answer.");
  }
  const job = await findJob(context.engine, wanted.id, context.actor);
  const open = openQuestions(await context.engine.questions(job.id, context.actor));
  const given = answer === undefined ? toAnswer(text ?? "", open, key) : answerSchema.parse(answer);
  if (given !== undefined) return replyTo([await jobAnswer.call(context, { id: job.id, answer: given, key })], context);
  await jobSend.call(context, { id: job.id, text: text ?? "" });
  const now = await context.engine.get(job.id, context.actor);
  return replyTo([await describeJob(now, context)], context);
}

/** Text answers a question that wants one text; for a job that asks nothing it is input. */
export function toAnswer(text: string, open: readonly AskedQuestion[], key: string | undefined): Answer | undefined {
  const asked = key === undefined ? open[0] : open.find((question) => question.key === key);
  if (asked === undefined) return undefined;
  const fields = Object.entries(asked.question.form?.properties ?? {});
  const [field] = fields;
  if (field === undefined) return { action: "accept", content: { answer: text } };
  if (fields.length === 1 && field[1].type === "string") return { action: "accept", content: { [field[0]]: text } };
  throw new LonghaulError(
    "invalid_input",
    `The question "${asked.key}" has a form: give an answer with ${fields.map(([name]) => name).join(", ")}.`,
  );
}
