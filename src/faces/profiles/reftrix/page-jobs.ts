import type { ContentBlock } from "@modelcontextprotocol/server";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import { pageContract, type PageAnalysis } from "../../../kinds/page/contract.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { InputOf } from "../../../operations/registry.ts";
import { findKeptPage } from "../../../operations/library.ts";
import { analyzePage } from "../../../operations/start-operations.ts";
import { linkArtifacts, readArtifact } from "../../mcp/resources/artifact-resource.ts";
import { jobUri } from "../../mcp/resources/job-uri.ts";
import { errorOfJob, ReftrixError } from "./error-codes.ts";

export interface AnalysedPage {
  readonly id: string;
  readonly analysis: PageAnalysis;
  readonly links: readonly ContentBlock[];
}

/** What the operation takes. */
export type PageRequest = InputOf<"analyze_page">;

/** Longer than this no call waits, whatever its time limit. */
const longestWaitMs = 570_000;

export async function submitPage(context: OperationContext, request: PageRequest): Promise<Job> {
  const { id } = await analyzePage.call(context, request);
  return context.engine.get(id, context.actor);
}

/** Waits for the analysis; one that takes too long goes on, and is not lost. */
export async function waitForPage(context: OperationContext, { id }: Job): Promise<AnalysedPage> {
  const { engine, actor, signal } = context;
  const { jobs } = await engine.wait(id, {
    timeoutMs: longestWaitMs,
    ...actor,
    signal,
  });
  const [job] = jobs;
  if (job === undefined || !isTerminal(job.state)) {
    throw new ReftrixError(
      "TIMEOUT_ERROR",
      `The analysis takes longer than a call may wait. It goes on: call page_getJobStatus with job_id ${id}.`,
    );
  }
  return readPage(context, job);
}

export async function analyse(context: OperationContext, request: PageRequest): Promise<AnalysedPage> {
  return waitForPage(context, await submitPage(context, request));
}

async function readPage({ engine, actor }: OperationContext, job: Job): Promise<AnalysedPage> {
  if (job.state.status !== "succeeded") throw errorOfJob(job);
  const analysis = pageContract.result.parse(await engine.result(job.id, actor));
  const result = { uri: jobUri(job.id, "result"), name: "analysis", mimeType: "application/json" };
  return {
    id: job.id,
    analysis,
    links: [{ type: "resource_link", ...result }, ...linkArtifacts(job.id, analysis.artifacts)],
  };
}

/** Whether nothing is known, or known any more, under an id. */
export function isGone(error: unknown): boolean {
  return error instanceof LonghaulError && ["not_found", "expired", "invalid_input"].includes(error.code);
}

/** A page that was analysed before, by the id of its job. */
export async function findPage(context: OperationContext, id: string): Promise<AnalysedPage> {
  const job = await findPageJob(context, id).catch(unlessGone);
  if (job instanceof LonghaulError) {
    const kept = await findKeptPage(context, id);
    if (kept === undefined) throw job;
    // Its files went with its job.
    return { id, analysis: { ...kept.analysis, artifacts: [] }, links: [] };
  }
  if (isTerminal(job.state)) return readPage(context, job);
  throw new LonghaulError("conflict", `The analysis ${id} has not ended yet: wait until page_getJobStatus says so.`);
}

/** An analysed page; one that was analysed without this part, or is only HTML yet, is analysed for it now. */
export async function pageWith(
  part: "layout" | "motion" | "quality",
  context: OperationContext,
  source: { readonly id: string } | PageRequest,
  more: PageRequest = {},
): Promise<AnalysedPage> {
  const id = "id" in source ? source.id.toLowerCase() : undefined;
  if (id !== undefined && Object.keys(more).length === 0) {
    const page = await findPage(context, id);
    if (page.analysis[part] !== undefined) return page;
  }
  const request = id === undefined ? (source as PageRequest) : await requestOf(context, id);
  return analyse(context, { check_links: request.html === undefined, ...request, ...more, features: [part] });
}

/** What was asked for when the page was analysed, to analyse it again. */
export async function requestOf(context: OperationContext, id: string): Promise<PageRequest> {
  const job = await findPageJob(context, id).catch(unlessGone);
  const kept = job instanceof LonghaulError ? await findKeptPage(context, id) : undefined;
  if (job instanceof LonghaulError && kept === undefined) throw job;
  const { url, html } = kept?.input ?? pageContract.input.parse(await context.engine.input(id, context.actor));
  return html === undefined ? { url } : { url, html, check_links: false };
}

async function findPageJob({ engine, actor }: OperationContext, id: string): Promise<Job> {
  const job = await engine.get(id, actor);
  if (job.kind === pageContract.name) return job;
  throw new LonghaulError("invalid_input", `Job ${id} is not a page analysis: its kind is "${job.kind}".`);
}

/** A job that has expired may still be in the library. */
function unlessGone(error: unknown): LonghaulError {
  if (error instanceof LonghaulError && (error.code === "not_found" || error.code === "expired")) return error;
  throw error;
}

/** The files of an analysis that a reply carries itself. */
export async function readFiles(
  context: OperationContext,
  { id, analysis }: AnalysedPage,
  wanted: { readonly html: boolean; readonly screenshot: boolean },
): Promise<Record<string, unknown>> {
  const page = { id, analysis };
  const html = wanted.html ? await readFile(context, page, "page.html") : undefined;
  const { width, height } = analysis.page;
  const screenshot = wanted.screenshot
    ? await readPicture(context, page, "screenshot.jpg", { width, height })
    : undefined;
  return defined({ html: html?.toString("utf8"), screenshot });
}

/** A screenshot in the form that clients know. */
export async function readPicture(
  context: OperationContext,
  page: Pick<AnalysedPage, "id" | "analysis">,
  name: string,
  size: { readonly width: number; readonly height: number },
): Promise<Record<string, unknown> | undefined> {
  const picture = await readFile(context, page, name);
  return picture === undefined ? undefined : { base64: picture.toString("base64"), format: "jpeg", ...size };
}

async function readFile(
  context: OperationContext,
  { id, analysis }: Pick<AnalysedPage, "id" | "analysis">,
  name: string,
): Promise<Buffer | undefined> {
  const isThere = analysis.artifacts.some((artifact) => artifact.name === name);
  return isThere ? (await readArtifact(id, name, context)).content : undefined;
}
