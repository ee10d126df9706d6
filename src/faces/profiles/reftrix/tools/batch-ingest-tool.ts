import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { OperationContext } from "../../../../operations/operation.ts";
import { pageUrl, respectRobots } from "./analyze-input.ts";
import { ReftrixError, toReftrixError } from "../error-codes.ts";
import { submitPage, waitForPage } from "../page-jobs.ts";
import { defineReftrixTool, keepsPages, type ReftrixReply } from "../reftrix-tool.ts";

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
  respect_robots_txt: respectRobots,
});

type BatchInput = z.output<typeof batchInput>;

interface Outcome {
  readonly url: string;
  readonly status: "success" | "failed";
  readonly page_id?: string;
  readonly error?: string;
  readonly patterns_extracted?: number;
}

export const batchIngestTool = defineReftrixTool({
  name: "layout_batch_ingest",
  title: "Layout Batch Ingest",
  description: "Load up to 100 web pages and keep each under an id. Waits for all of them.",
  input: batchInput,
  annotations: keepsPages,
  run: ingestAll,
});

async function ingestAll(context: OperationContext, input: BatchInput): Promise<ReftrixReply> {
  const { urls, options } = input;
  const startedAt = performance.now();
  const batch = randomUUID();
  const outcomes: Outcome[] = [];
  const queue = urls.entries();
  let aborted: Outcome | undefined;
  const work = async (): Promise<void> => {
    for (const [index, url] of queue) {
      if (aborted !== undefined || context.signal?.aborted === true) return;
      const outcome = await ingestOne(context, url, batch, input);
      outcomes[index] = outcome;
      if (outcome.status === "failed" && options.on_error === "abort") aborted ??= outcome;
    }
  };
  // Nothing more is loaded than what comes before a failure that ends it all.
  const workers = options.on_error === "abort" ? 1 : Math.min(options.concurrency, urls.length);
  await Promise.all(Array.from({ length: workers }, work));
  const results = outcomes.filter((outcome) => outcome !== undefined);
  const completed = results.filter(({ status }) => status === "success").length;
  const tally = { job_id: batch, completed, failed: results.length - completed, results };
  const processingTimeMs = Math.round(performance.now() - startedAt);
  if (aborted !== undefined) {
    throw new ReftrixError(
      "BATCH_ABORTED",
      `${aborted.url} failed, so the rest was not loaded: ${aborted.error ?? ""}`,
      { details: { ...tally, processing_time_ms: processingTimeMs } },
    );
  }
  return {
    data: {
      ...tally,
      total: urls.length,
      summary: {
        success_rate: Math.round((10_000 * completed) / urls.length) / 100,
        total_patterns: results.reduce((sum, { patterns_extracted: count = 0 }) => sum + count, 0),
        processing_time_ms: processingTimeMs,
      },
    },
  };
}

async function ingestOne(
  context: OperationContext,
  url: string,
  batch: string,
  { options, respect_robots_txt: respectsRobots }: BatchInput,
): Promise<Outcome> {
  try {
    const job = await submitPage(context, {
      url,
      batch,
      features: ["layout"],
      keep: options.save_to_db ?? true,
      respect_robots: respectsRobots,
    });
    const { id, analysis } = await waitForPage(context, job);
    const count = options.auto_analyze ? (analysis.layout?.sections.length ?? 0) : 0;
    return { url, status: "success", page_id: id, patterns_extracted: count };
  } catch (error) {
    return { url, status: "failed", error: toReftrixError(error).message };
  }
}
