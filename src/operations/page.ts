import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { pageContract, type PageAnalysis } from "../kinds/page/contract.ts";
import { compareAnalyses, comparisonSchema } from "./compare-analyses.ts";
import { findKeptPage } from "./library.ts";
import { findJob } from "./job-reference.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

export const pageCompare = defineOperation({
  name: "page_compare",
  scope: "read",
  description: "Compare two analyses of the same page: scores, sections, and what came, went or changed.",
  input: z.strictObject({
    before: z
      .string()
      .min(1)
      .describe("The job of the earlier analysis: id, end of one, or name; or the id of a page in the library."),
    after: z.string().min(1).describe("The job of the later one."),
  }),
  output: comparisonSchema,
  run: async (context, input) => {
    const [before, after] = await Promise.all([
      readAnalysis(input.before, context),
      readAnalysis(input.after, context),
    ]);
    if (withoutHash(before.url) !== withoutHash(after.url)) {
      throw new LonghaulError(
        "invalid_input",
        `Only two analyses of the same page can be compared, got ${before.url} and ${after.url}.`,
      );
    }
    return compareAnalyses(before, after);
  },
});

async function readAnalysis(reference: string, context: OperationContext): Promise<PageAnalysis> {
  const { engine, actor } = context;
  const job = await findJob(engine, reference, actor).catch(async (error: unknown) => {
    const kept = await findKeptPage(context, reference);
    if (kept === undefined) throw error;
    return kept;
  });
  if ("analysis" in job) return job.analysis;
  if (job.kind === pageContract.name) return pageContract.result.parse(await engine.result(job.id, actor));
  throw new LonghaulError("invalid_input", `Job ${job.id} is not a page analysis: its kind is "${job.kind}".`);
}

function withoutHash(url: string): string {
  return url.replace(/#.*$/, "").replace(/\/$/, "");
}
