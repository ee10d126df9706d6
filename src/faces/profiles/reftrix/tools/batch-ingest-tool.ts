import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { OperationContext } from "../../../../operations/operation.ts";
import { pageUrl } from "./analyze-input.ts";
import { ReftrixError, toReftrixError } from "../error-codes.ts";
import { ignoredByBatchIngest } from "../ignored-parameters.ts";
import { submitPage, waitForPage } from "../page-jobs.ts";
import { defineReftrixTool, opensPages, type ReftrixReply } from "../reftrix-tool.ts";

const batchInput = z.looseObject({
  urls: z.array(pageUrl).min(1).max(100),
  options: z
    .looseObject({
      concurrency: z.int().min(1).max(10).default(5).describe("At most as many as the server analyses at once."),
      on_error: z.enum(["skip", "abort"]).default("skip"),
      save_to_db: z.boolean().optional(),
      auto_analyze: z.boolean().default(true).describe("Also tell how many sections each page has."),
    })
    .prefault({}),
});

type BatchInput = z.output<typeof batchInput>;

interface Outcome {
  readonly url: string;
  readonly status: "success" | "failed";
  readonly page_id?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly patterns_extracted?: number;
}

export const batchIngestTool = defineReftrixTool({
  name: "layout_batch_ingest",
  title: "Layout Batch Ingest",
  description: "Load up to 100 web pages and keep each under an id. Waits for all of them.",
  input: batchInput,
  annotations: opensPages,
  ignored: ignoredByBatchIngest,
  run: ingestAll,
});

async function ingestAll(context: OperationContext, { urls, options }: BatchInput): Promise<ReftrixReply> {
  const startedAt = performance.now();
  const batch = randomUUID();
  const outcomes: Outcome[] = [];
  const queue = urls.entries();
  let aborted: Outcome | undefined;
  const work = async (): Promise<void> => {
    for (const [index, url] of queue) {
      if (aborted !== undefined || context.signal?.aborted === true) return;
      const outcome = await ingestOne(context, url, batch, options.auto_analyze);
      outcomes[index] = outcome;
      if (outcome.status === "failed" && options.on_error === "abort") aborted ??= outcome;
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, urls.length) }, work));
  if (aborted !== undefined) {
    throw new ReftrixError(
      "BATCH_ABORTED",
      `${aborted.url} failed, so the rest was not loaded: ${aborted.error?.message ?? ""}`,
    );
  }
  const results = outcomes.filter((outcome) => outcome !== undefined);
  const completed = results.filter(({ status }) => status === "success").length;
  return {
    data: {
      job_id: batch,
      total: urls.length,
      completed,
      failed: results.length - completed,
      results,
      summary: {
        success_rate: completed / urls.length,
        total_patterns: results.reduce((sum, { patterns_extracted: count = 0 }) => sum + count, 0),
        processing_time_ms: Math.round(performance.now() - startedAt),
      },
    },
  };
}

async function ingestOne(context: OperationContext, url: string, batch: string, isCounted: boolean): Promise<Outcome> {
  try {
    const job = await submitPage(context, { url, batch, features: ["layout"] });
    const { id, analysis } = await waitForPage(context, job);
    const count = analysis.layout?.sections.length ?? 0;
    return { url, status: "success", page_id: id, ...(isCounted ? { patterns_extracted: count } : {}) };
  } catch (error) {
    const { code, message } = toReftrixError(error);
    return { url, status: "failed", error: { code, message } };
  }
}
