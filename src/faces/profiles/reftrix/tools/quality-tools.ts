import { randomUUID } from "node:crypto";
import { z } from "zod";
import { pageContract } from "../../../../kinds/page/contract.ts";
import { jobSubmit } from "../../../../operations/submit.ts";
import type { OperationContext } from "../../../../operations/operation.ts";
import { weights, purpose } from "./analyze-input.ts";
import { ignoredByEvaluate } from "../ignored-parameters.ts";
import { exactlyOne, jobIdInput, jobIdOf } from "../job-id.ts";
import { pageWith } from "./layout-tools.ts";
import { isGone, jobNotFound } from "./page-tools.ts";
import { requestOf } from "../page-jobs.ts";
import { toJudgement } from "../page-request.ts";
import { phaseMs, viewQuality } from "../part-views.ts";
import { abortTag, viewBatch } from "../quality-batch.ts";
import { defineReftrixTool, looksUp, opensPages, type ReftrixReply } from "../reftrix-tool.ts";
import { countText } from "../../../../text/count-text.ts";

const pageId = z.uuid().optional().describe("The id of an analysed page.");
const html = z.string().min(1).max(2_000_000).optional();

const evaluateInput = z.looseObject({
  pageId,
  html,
  weights: weights.optional(),
  strict: z.boolean().optional(),
  ...purpose,
  patternComparison: z.unknown().optional(),
  context: z.unknown().optional(),
  use_playwright: z.boolean().optional(),
  responsive_evaluation: z.unknown().optional(),
  summary: z.boolean().default(true),
});

export const evaluateTool = defineReftrixTool({
  name: "quality_evaluate",
  title: "Quality Evaluate",
  description:
    "Rate an analysed page, or HTML, by craftsmanship and contextuality, with recommendations. A page is judged again if weights, industry or audience are given.",
  input: evaluateInput,
  annotations: opensPages,
  ignored: ignoredByEvaluate,
  run: async (context, input) => {
    const { key, value } = exactlyOne(input, "pageId", "html");
    const source = key === "pageId" ? { id: value } : { html: value };
    const { id, analysis, links } = await pageWith("quality", context, source, toJudgement(input));
    const { quality } = analysis;
    return {
      links,
      data: {
        pageId: id,
        ...(quality && viewQuality(quality, true, { isLight: input.summary })),
        processingTimeMs: phaseMs(analysis, "quality"),
      },
    };
  },
});

const batchInput = z.looseObject({
  items: z.array(z.looseObject({ pageId, html })).min(1).max(100),
  batch_size: z.int().min(1).max(50).default(10).describe("With on_error: abort, how many are judged before the next."),
  on_error: z.enum(["skip", "abort"]).default("skip"),
  weights: weights.optional(),
  strict: z.boolean().optional(),
});

export const batchEvaluateTool = defineReftrixTool({
  name: "quality_batch_evaluate",
  title: "Quality Batch Evaluate",
  description:
    "Rate up to 100 analysed pages or pieces of HTML in the background; quality_getJobStatus tells the results.",
  input: batchInput,
  annotations: opensPages,
  run: evaluateBatch,
});

/** One job for each item. Where one failure is to stop the rest, every group of jobs depends on all of the group before. */
async function evaluateBatch(context: OperationContext, input: z.output<typeof batchInput>): Promise<ReftrixReply> {
  const { items, batch_size: batchSize, on_error: onError } = input;
  const batch = randomUUID();
  const isStrict = onError === "abort";
  const judgement = toJudgement(input);
  const jobs = await Promise.all(
    items.map(async (item, index) => {
      const { key, value } = exactlyOne(item, "pageId", "html");
      const source =
        key === "pageId" ? await requestOf(context, value.toLowerCase()) : { html: value, check_links: false };
      const group = Math.floor(index / batchSize);
      const after = Array.from(
        { length: group === 0 ? 0 : batchSize },
        (_, place) => `${(group - 1) * batchSize + place}`,
      );
      return {
        kind: pageContract.name,
        batch,
        ref: String(index),
        input: { ...source, features: ["quality"], ...judgement },
        ...(isStrict ? { tags: [abortTag], after } : {}),
      };
    }),
  );
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
