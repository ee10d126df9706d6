import type { Access } from "../engine/access.ts";
import type { Engine } from "../engine/engine.ts";
import { LonghaulError } from "../job/error.ts";
import { isJobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";

/** Finds the job that somebody means: by its id, by the end of its id (at least four characters), or by its name. */
export async function findJob(engine: Engine, reference: string, access: Access): Promise<Job> {
  const wanted = reference.trim();
  if (isJobId(wanted.toLowerCase())) return engine.get(wanted.toLowerCase(), access);
  const [named] = (await engine.list({ name: wanted }, { limit: 1 }, access)).jobs;
  if (named !== undefined) return named;
  // Some profiles show the end of an id behind a word for what it is.
  const [, ending] = /^(?:(?:job|agent)_)?([0-9a-f-]{4,})$/i.exec(wanted) ?? [];
  if (ending !== undefined) return engine.get(await engine.findId(ending, access), access);
  throw new LonghaulError(
    "not_found",
    `There is no job "${reference}": give an id, the last characters of one, or a name.`,
  );
}

export function findJobs(engine: Engine, references: readonly string[], access: Access): Promise<Job[]> {
  return Promise.all(references.map((reference) => findJob(engine, reference, access)));
}
