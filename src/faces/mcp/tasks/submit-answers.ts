import type { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { answerSchema } from "../../../job/question.ts";
import type { JobAccess } from "../tools/job-tool.ts";
import { openQuestions } from "./job-to-task.ts";

/** Keys that are unknown or were answered before are ignored; an answer that does not fit is refused, after the others were taken. */
export async function answerAll(
  taskId: string,
  responses: Record<string, unknown>,
  { engine, actor }: JobAccess,
): Promise<void> {
  const open = new Set(openQuestions(await engine.questions(taskId, actor)).map(({ key }) => key));
  let refused: LonghaulError | undefined;
  for (const [key, response] of Object.entries(responses)) {
    if (!open.has(key)) continue;
    try {
      await engine.answer(taskId, key, toAnswer(response), actor);
    } catch (error) {
      if (!(error instanceof LonghaulError)) throw error;
      if (error.code === "invalid_input") refused ??= error;
    }
  }
  if (refused !== undefined) throw refused;
}

export function toAnswer(response: unknown): z.output<typeof answerSchema> {
  const parsed = answerSchema.safeParse(response);
  if (parsed.success) return parsed.data;
  throw new LonghaulError(
    "invalid_input",
    `An answer is {"action": "accept", "content": {…}}, {"action": "decline"} or {"action": "cancel"}, got ${JSON.stringify(response)?.slice(0, 80)}.`,
  );
}
