import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { answerSchema, type Answer, type AskedQuestion } from "../../../job/question.ts";
import { findJob } from "../../../operations/job-reference.ts";
import { describeJob, jobAnswer, jobSend } from "../../../operations/job-verbs.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { openQuestions } from "../project.ts";
import { changes, type ManageTool, type ToolContext } from "./manage-tools.ts";
import { pickFields } from "./pick-fields.ts";
import { jobReplySchema, replyTo, toResult } from "./reply.ts";

const input = pickFields(jobSend, "id").extend({
  text: z
    .string()
    .max(1_000_000)
    .optional()
    .describe("For standard input (a line end is added), or the answer to its only question."),
  answer: z
    .object({ action: z.enum(["accept", "decline", "cancel"]), content: z.record(z.string(), z.unknown()).optional() })
    .optional()
    .describe("The answer to a question."),
  key: z.string().optional().describe("Which question, if there are several."),
});

type SendInput = { id: string; text?: string; answer?: unknown; key?: string };

export const sendTool: ManageTool = {
  name: "job_send",
  description:
    "Send input to a background job: text for its standard input (stdin), or the answer to a question it asks.",
  input,
  output: jobReplySchema,
  annotations: changes(false, false),
  run: (wanted: SendInput, context) => send(wanted, context),
};

async function send(wanted: SendInput, context: ToolContext): Promise<CallToolResult> {
  const { text, answer, key } = wanted;
  if ((text === undefined) === (answer === undefined)) {
    throw new LonghaulError("invalid_input", "Give either text or an answer.");
  }
  const job = await findJob(context.engine, wanted.id, context.actor);
  const open = openQuestions(await context.engine.questions(job.id, context.actor));
  const given = answer === undefined ? toAnswer(text ?? "", open, key) : answerSchema.parse(answer);
  if (given === undefined) await jobSend.call(context, { id: job.id, text });
  else {
    const view = (await jobAnswer.call(context, {
      id: job.id,
      answer: given,
      ...(key === undefined ? {} : { key }),
    })) as JobView;
    return toResult(await replyTo(view, context));
  }
  const now = await context.engine.get(job.id, context.actor);
  return toResult(await replyTo(await describeJob(now, context), context));
}

/** Text answers a question that wants one text; for a job that asks nothing it is input. */
function toAnswer(text: string, open: readonly AskedQuestion[], key: string | undefined): Answer | undefined {
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
