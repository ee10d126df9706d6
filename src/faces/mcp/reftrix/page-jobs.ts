import type { ContentBlock } from "@modelcontextprotocol/server";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { analyzePage } from "../../../operations/analyze-page.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { linkArtifacts } from "../artifact-resource.ts";
import { jobUri } from "../job-uri.ts";
import { errorOfJob, ReftrixError } from "./error-codes.ts";
import { storedAnalysisSchema, type StoredAnalysis } from "./stored-analysis.ts";

export interface AnalysedPage {
  readonly id: string;
  readonly analysis: StoredAnalysis;
  readonly links: readonly ContentBlock[];
}

type PageRequest = Readonly<Record<string, unknown>>;

/** Longer than this no call waits, whatever its time limit. */
const longestWaitMs = 570_000;

export async function submitPage(context: OperationContext, request: PageRequest): Promise<Job> {
  const { id } = (await analyzePage.call(context, request)) as JobView;
  return context.engine.get(id, context.actor);
}

/** Waits for the analysis; one that takes too long goes on, and is not lost. */
export async function waitForPage(context: OperationContext, { id }: Job): Promise<AnalysedPage> {
  const { engine, actor, signal } = context;
  const { jobs } = await engine.wait(id, {
    timeoutMs: longestWaitMs,
    ...actor,
    ...(signal === undefined ? {} : { signal }),
  });
  const [job] = jobs;
  if (job === undefined || !isTerminal(job.state)) {
    throw new ReftrixError(
      "TIMEOUT_ERROR",
      `The analysis takes longer than a call may wait. It goes on: call page.getJobStatus with job_id ${id}.`,
    );
  }
  return readPage(context, job);
}

export async function analyse(context: OperationContext, request: PageRequest): Promise<AnalysedPage> {
  return waitForPage(context, await submitPage(context, request));
}

async function readPage({ engine, actor }: OperationContext, job: Job): Promise<AnalysedPage> {
  if (job.state.status !== "succeeded") throw errorOfJob(job);
  const analysis = storedAnalysisSchema.parse(await engine.result(job.id, actor));
  const result = { uri: jobUri(job.id, "result"), name: "analysis", mimeType: "application/json" };
  return {
    id: job.id,
    analysis,
    links: [{ type: "resource_link", ...result }, ...linkArtifacts(job.id, analysis.artifacts)],
  };
}

/** A page that was analysed before, by the id of its job. */
export async function findPage(context: OperationContext, id: string): Promise<AnalysedPage> {
  const job = await findPageJob(context, id);
  if (isTerminal(job.state)) return readPage(context, job);
  throw new LonghaulError("conflict", `The analysis ${id} has not ended yet: wait until page.getJobStatus says so.`);
}

/** What was asked for when the page was analysed, to analyse it again. */
export async function requestOf(context: OperationContext, id: string): Promise<PageRequest> {
  const job = await findPageJob(context, id);
  const { url, html } = (await context.engine.input(job.id, context.actor)) as { url: string; html?: string };
  return html === undefined ? { url } : { url, html, check_links: false };
}

async function findPageJob({ engine, actor }: OperationContext, id: string): Promise<Job> {
  const job = await engine.get(id, actor);
  if (job.kind === "page") return job;
  throw new LonghaulError("invalid_input", `Job ${id} is no analysis of a page, but of kind "${job.kind}".`);
}
