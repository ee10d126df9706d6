import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { localOwner } from "../job/job.ts";
import { askedBy, toListed } from "./job.ts";
import { jobViewSchema } from "./job-view.ts";
import { findJobs } from "./job-reference.ts";
import { defineOperation } from "./operation.ts";

/** More questions than anybody answers at once. */
const maxWaiting = 100;

export const inboxList = defineOperation({
  name: "inbox_list",
  scope: "read",
  description: "List what waits for somebody: jobs with open questions, and finished jobs that nobody has looked at.",
  input: z.strictObject({
    limit: z.int().min(1).max(1_000).default(20).describe("How many finished jobs to list."),
    cursor: z.string().max(100).optional().describe("From the page before; later pages have finished jobs alone."),
  }),
  output: z.object({
    waiting: z
      .array(jobViewSchema)
      .describe(`Jobs with their open questions, the newest job first, at most ${maxWaiting}.`),
    finished: z
      .array(jobViewSchema)
      .describe("The latest end first. Children are left out: their parent tells of them."),
    cursor: z.string().optional(),
  }),
  run: async (context, { limit, cursor }) => {
    const { engine, actor } = context;
    const owner = actor.owner ?? localOwner;
    const asking =
      cursor === undefined
        ? await engine.list({ status: ["waiting"], owner }, { limit: maxWaiting }, actor)
        : undefined;
    const asked = asking?.jobs ?? [];
    const views = await toListed(asked, context);
    // It may be gone by now.
    const questions = await Promise.all(asked.map((job) => askedBy(job, context).catch(() => ({}))));
    const waiting = views.map((view, index) => ({ ...view, ...questions[index] }));
    const page = await engine.unseen({ limit, cursor }, actor);
    return { waiting, finished: await toListed(page.jobs, context), cursor: page.cursor };
  },
});

export const jobSeen = defineOperation({
  name: "job_seen",
  scope: "run",
  description: "Say that somebody has looked at finished jobs: the inbox lists them no more.",
  input: z.strictObject({
    ids: z.array(z.string().min(1)).min(1).max(1_000).optional().describe("Jobs: ids, ends of ids, or names."),
    all: z.literal(true).optional().describe("All that the inbox lists as finished."),
  }),
  output: z.object({ count: z.int().describe("How many of them nobody had looked at.") }),
  run: async ({ engine, actor }, { ids, all }) => {
    if ((ids === undefined) === (all === undefined)) {
      throw new LonghaulError("invalid_input", "Say which jobs: give either ids or all.");
    }
    const which = ids === undefined ? "all" : (await findJobs(engine, ids, actor)).map(({ id }) => id);
    return { count: await engine.markSeen(which, actor) };
  },
});
