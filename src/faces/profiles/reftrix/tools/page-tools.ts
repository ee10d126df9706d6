import type { OperationContext } from "../../../../operations/operation.ts";
import { analyzeInput, type AnalyzeInput } from "./analyze-input.ts";
import { ReftrixError } from "../error-codes.ts";
import { ignoredByAnalyze, type Warning } from "../ignored-parameters.ts";
import { jobIdInput, jobIdOf } from "../job-id.ts";
import { viewJob } from "../job-status.ts";
import { isGone, submitPage, waitForPage } from "../page-jobs.ts";
import { toPageRequest } from "../page-request.ts";
import { viewPage } from "../views/page-view.ts";
import { defineReftrixTool, looksUp, opensPages, type ReftrixReply } from "../reftrix-tool.ts";

const hourMs = 3_600_000;
const pollSeconds = 10;

export const analyzeTool = defineReftrixTool({
  name: "page_analyze",
  title: "Page Analyze",
  description:
    "Analyse a web page in a real browser: layout, motion, quality, other window sizes. Runs as a job (async) and answers with its id, or waits with async: false. Parameters that it cannot honour (vision, video) are answered with a warning.",
  input: analyzeInput,
  annotations: opensPages,
  ignored: ignoredByAnalyze,
  run: analyze,
});

async function analyze(
  context: OperationContext,
  input: AnalyzeInput,
  warnings: readonly Warning[],
): Promise<ReftrixReply> {
  const isChosen = input.async === undefined;
  const job = await submitPage(context, toPageRequest(input));
  if (input.async ?? input.layoutOptions.useVision !== false) {
    const retentionHours = Math.round(job.retention.succeededMs / hourMs);
    return {
      isUnwrapped: true,
      data: {
        async: true,
        jobId: job.id,
        status: "queued",
        message: isChosen
          ? "The analysis runs as a job, because async was not given; async: false waits for its end."
          : "The analysis runs as a job.",
        polling: {
          intervalSeconds: pollSeconds,
          retentionHours,
          howToCheck: `Call page_getJobStatus with {"job_id": "${job.id}"}.`,
        },
      },
    };
  }
  const page = await waitForPage(context, job);
  return { data: await viewPage(context, page, input, warnings), links: page.links };
}

export const pageStatusTool = defineReftrixTool({
  name: "page_getJobStatus",
  title: "Page Get Job Status",
  description: "Where an analysis stands: state, progress, phase, and once it is completed what it found.",
  input: jobIdInput,
  annotations: looksUp,
  run: async (context, input) => {
    const id = jobIdOf(input);
    const job = await context.engine.get(id, context.actor).catch((error: unknown) => {
      throw isGone(error) ? jobNotFound(id) : error;
    });
    return viewJob(context, job);
  },
});

export function jobNotFound(id: string): ReftrixError {
  return new ReftrixError(
    "JOB_NOT_FOUND",
    `There is no job ${id}: it may have expired (results are kept for 24 hours unless configured otherwise), or never existed.`,
  );
}
