import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";

const uuid = z.uuid();

/** The names under which clients send the id of a job. */
export const jobIdInput = z.strictObject({
  job_id: uuid.optional().describe("The id that the submit answered with."),
  jobId: uuid.optional().describe("The same as job_id."),
  task_id: uuid.optional().describe("The same as job_id."),
});

export function jobIdOf({ job_id: id, jobId, task_id: taskId }: z.output<typeof jobIdInput>): string {
  const wanted = id ?? jobId ?? taskId;
  if (wanted === undefined) throw new LonghaulError("invalid_input", "job_id is missing: give the id of a job.");
  return wanted.toLowerCase();
}

/** The one of several parameters that was given. */
export function exactlyOne<Key extends string>(
  input: Partial<Record<Key, string | undefined>>,
  ...keys: readonly Key[]
): { readonly key: Key; readonly value: string } {
  const given = keys.flatMap((key) => (input[key] === undefined ? [] : [{ key, value: input[key] }]));
  const [only] = given;
  if (only !== undefined && given.length === 1) return only;
  throw new LonghaulError("invalid_input", `Exactly one of ${keys.join(", ")} is needed, got ${given.length} of them.`);
}
