import { randomUUID } from "node:crypto";
import { z } from "zod";
import { pageContract } from "../../../../kinds/page/contract.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { jobSubmit } from "../../../../operations/submit.ts";
import { countText } from "../../../../text/count-text.ts";
import { ReftrixError } from "../error-codes.ts";
import { exactlyOne, jobIdInput, jobIdOf } from "../job-id.ts";
import { isGone, requestOf, type PageRequest } from "../page-jobs.ts";
import { toJudgement } from "../page-request.ts";
import { abortTag, absentTag, itemTag, viewBatch } from "../quality-batch.ts";
import { defineReftrixTool, keepsPages, looksUp, type ReftrixReply } from "../reftrix-tool.ts";
import { weightsOfOne } from "./analyze-input.ts";
import { jobNotFound } from "./page-tools.ts";

const batchInput = z.looseObject({
  items: z
    .array(
      z
        .looseObject({
          pageId: z.uuid().optional().describe("The id of an analysed page."),
          html: z.string().min(1).max(2_000_000).optional(),
        })
        .refine(
          ({ pageId, html }) => (pageId === undefined) !== (html === undefined),
          "must have either pageId or html",
        ),
    )
    .min(1)
    .max(100),
  batch_size: z.int().min(1).max(50).default(10).describe("With on_error: abort, how many are judged before the next."),
  on_error: z.enum(["skip", "abort"]).default("skip"),
  weights: weightsOfOne.optional(),
  strict: z.boolean().default(false).describe("Judge clichés harder."),
});

type BatchInput = z.output<typeof batchInput>;

export const batchEvaluateTool = defineReftrixTool({
  name: "quality_batch_evaluate",
  title: "Quality Batch Evaluate",
  description:
    "Rate up to 100 analysed pages or pieces of HTML in the background; quality_getJobStatus tells the results.",
  input: batchInput,
  annotations: keepsPages,
  codes: { JOB_NOT_FOUND: "PAGE_NOT_FOUND" },
  run: evaluateBatch,
});

/** One job for each item. Where one failure is to stop the rest, every group of jobs depends on all of the group before. */
async function evaluateBatch(context: OperationContext, input: BatchInput): Promise<ReftrixReply> {
  const { items, batch_size: batchSize, on_error: onError } = input;
  const batch = randomUUID();
  const sources = await Promise.all(items.map((item) => sourceOf(context, item, onError === "skip")));
  const absent = sources.flatMap((source, index) => (source === undefined ? [index] : []));
  if (absent.length === items.length) {
    throw new ReftrixError("PAGE_NOT_FOUND", "None of the pages exists: their time may have ended.");
  }
  const judgement = toJudgement(input);
  const jobs = sources.flatMap((source, index) => {
    if (source === undefined) return [];
    const group = Math.floor(index / batchSize);
    const before = Array.from(
      { length: group === 0 ? 0 : batchSize },
      (_, place) => `${(group - 1) * batchSize + place}`,
    );
    const tags = [itemTag(index), ...(absent.length > 0 ? [absentTag(absent)] : [])];
    return [
      {
        kind: pageContract.name,
        batch,
        ref: String(index),
        input: { ...source, features: ["quality"], ...judgement },
        ...(onError === "abort" ? { tags: [...tags, abortTag], after: before } : { tags }),
      },
    ];
  });
  await jobSubmit.call(context, { jobs });
  return {
    data: {
      job_id: batch,
      status: "pending",
      total_items: items.length,
      batch_size: batchSize,
      on_error: onError,
      created_at: new Date().toISOString(),
      message: `Judging ${countText(items.length, "item")} in the background: call quality_getJobStatus with {"job_id": "${batch}"}.`,
    },
  };
}

/** Undefined if it names a page that is not there, and such items are to be skipped. */
async function sourceOf(
  context: OperationContext,
  item: BatchInput["items"][number],
  skipsAbsent: boolean,
): Promise<PageRequest | undefined> {
  const { key, value } = exactlyOne(item, "pageId", "html");
  if (key === "html") return { html: value, check_links: false };
  return requestOf(context, value.toLowerCase()).catch((error: unknown) => {
    if (skipsAbsent && isGone(error)) return undefined;
    throw error;
  });
}

export const qualityStatusTool = defineReftrixTool({
  name: "quality_getJobStatus",
  title: "Quality Get Job Status",
  description: "How far a batch of evaluations has come, and once it has ended what came of each item.",
  input: jobIdInput,
  annotations: looksUp,
  run: async (context, input) => {
    const id = jobIdOf(input);
    const data = await viewBatch(context, id).catch((error: unknown) => {
      throw isGone(error) ? jobNotFound(id) : error;
    });
    if (data === undefined) throw jobNotFound(id);
    return { data, metadata: { redis_used: false, lru_fallback: false } };
  },
});
