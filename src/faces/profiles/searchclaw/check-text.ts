import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { textOf } from "./reply.ts";

/** Whether nothing could be read of the page that the result is about: no text, and no data either. */
export function isUnread({ key }: Job, result: Json): boolean {
  if (!isRecord(result)) return false;
  return key === "markdown" ? result["markdown"] === "" : key === "extract" && result["text"] === "";
}

/** An empty text is no answer to who asked for that of a page: says why there is none. */
export async function checkText({ engine, actor }: OperationContext, job: Job): Promise<Job> {
  const { result = null } = await engine.payload(job.id, actor);
  if (!isUnread(job, result)) return job;
  const note = isRecord(result) ? textOf(result["note"]) : "";
  throw new LonghaulError("unavailable", note === "" ? "The page has no text." : note, { details: { status: 502 } });
}
