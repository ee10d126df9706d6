import type { Job } from "../../../job/job.ts";
import { readOutputEnd } from "../../../operations/merged-output.ts";
import { cleanText } from "../tools/clean-text.ts";
import type { JobAccess } from "../tools/job-tool.ts";
import { openQuestions } from "./job-to-task.ts";
import type { Activity } from "./status-message.ts";

/** What a status bar shows of a job that goes on: the last line that it wrote, or what it asks. */
export async function readActivity(job: Job, { engine, actor }: JobAccess): Promise<Activity> {
  if (job.state.status === "waiting") {
    const [first] = openQuestions(await engine.questions(job.id, actor));
    return first === undefined ? {} : { question: first.question.message };
  }
  if (job.state.status !== "running") return {};
  const lines = cleanText(await readOutputEnd(engine, job, actor)).split("\n");
  const line = lines.findLast((text) => text.trim() !== "");
  return line === undefined ? {} : { line };
}
