import { z } from "zod";

/** The replies of SearchClaw's service as its own models declare them: every field is there, and null where it has no value. */

const count = z.int().min(0);
const anything = z.record(z.string(), z.unknown());
const chunk = z.strictObject({ index: count, text: z.string(), char_count: count, metadata: anything });
const chunks = { chunks: z.array(chunk).nullable(), total_chunks: count.nullable() };

const searchResult = { title: z.string(), url: z.string(), snippet: z.string(), source: z.string(), position: count };

const searchOf = (extra: z.ZodRawShape): z.ZodType =>
  z.strictObject({
    query: z.string(),
    results: z.array(z.strictObject({ ...searchResult, ...extra })),
    infobox: z.strictObject({ title: z.string(), content: z.string(), url: z.string() }).nullable(),
    suggestions: z.array(z.string()).max(10),
    meta: z.strictObject({
      total_results: count,
      cached: z.boolean(),
      response_time_ms: count,
      engines_used: z.array(z.string()),
    }),
    context: z.string().nullable(),
    sources: z.array(z.strictObject({ title: z.string(), url: z.string(), snippet: z.string() })).nullable(),
  });

const progress = z.strictObject({ pages_crawled: count, total_pages: count.nullable(), items_extracted: count });
const jobMeta = z.strictObject({ total_items: count, pages_crawled: count, credits_used: count, duration_ms: count });
const job = { job_id: z.string().regex(/^(job|agent)_[0-9a-f]{12}$/), progress };

/** What a job's status is in each of its states. */
export const jobReplies = {
  queued: z.strictObject({
    ...job,
    status: z.literal("queued"),
    progress: z.strictObject({ pages_crawled: z.literal(0), total_pages: z.null(), items_extracted: z.literal(0) }),
    data: z.null(),
    error: z.null(),
    meta: z.null(),
  }),
  processing: z.strictObject({
    ...job,
    status: z.literal("processing"),
    data: z.null(),
    error: z.null(),
    meta: z.null(),
  }),
  completed: z.strictObject({
    ...job,
    status: z.literal("completed"),
    data: z.array(anything),
    error: z.null(),
    meta: jobMeta,
  }),
  partial: z.strictObject({
    ...job,
    status: z.literal("partial"),
    data: z.array(anything),
    error: z.null(),
    meta: jobMeta,
  }),
  failed: z.strictObject({
    ...job,
    status: z.literal("failed"),
    data: z.null(),
    error: z.string().min(1),
    meta: z.null(),
  }),
};

const agentStep = z.strictObject({
  phase: z.enum(["search", "filter", "extract", "merge"]),
  queries: z.array(z.string()).nullable(),
  results: count.nullable(),
  urls_selected: count.nullable(),
  pages_processed: count.nullable(),
  pages_succeeded: count.nullable(),
  output_type: z.enum(["structured", "markdown"]).nullable(),
});

const pageMeta = { cached: z.boolean(), credits_used: count };

/** What each tool answers. News and images have the fields, too, that its documentation promises and its service leaves out. */
export const originalReplies = {
  search: searchOf({}),
  search_ai: searchOf({}),
  news: searchOf({ published_date: z.string(), source_name: z.string(), thumbnail: z.string() }),
  images: searchOf({
    img_src: z.string(),
    thumbnail_url: z.string(),
    source_url: z.string(),
    source_name: z.string(),
    width: count,
    height: count,
  }),
  suggest: z.strictObject({ query: z.string(), suggestions: z.array(z.string()) }),
  extract: z.strictObject({
    url: z.string(),
    data: z.union([anything, z.string()]),
    meta: z.strictObject({
      ...pageMeta,
      response_time_ms: count,
      extraction_method: z.enum(["rule", "llm", "raw"]),
      model_used: z.string().nullable(),
      tokens_used: count.nullable(),
      page_title: z.string().nullable(),
    }),
    ...chunks,
  }),
  markdown: z.strictObject({
    url: z.string(),
    title: z.string().nullable(),
    markdown: z.string(),
    meta: z.strictObject({ ...pageMeta, word_count: count }),
    ...chunks,
  }),
  screenshot: z.strictObject({
    url: z.string(),
    format: z.enum(["png", "jpeg"]),
    image_base64: z.base64(),
    meta: z.strictObject(pageMeta),
  }),
  crawl: z.strictObject({ job_id: job.job_id, status: z.literal("processing"), poll_url: z.string() }),
  map: z.strictObject({
    success: z.boolean(),
    url: z.string(),
    total_discovered: count,
    urls: z.array(
      z.strictObject({ url: z.string(), title: z.string().nullable(), source: z.enum(["crawl", "sitemap"]) }),
    ),
    credits_used: count,
  }),
  pipeline: z.strictObject({
    query: z.string(),
    results: z.array(
      z.strictObject({
        url: z.string(),
        title: z.string(),
        extracted_data: anything.nullable(),
        error: z.string().nullable(),
        ...chunks,
      }),
    ),
    meta: z.strictObject({
      search_credits: count,
      extract_credits: count,
      total_credits: count,
      response_time_ms: count,
      cached: z.boolean(),
    }),
  }),
  browse: z.strictObject({
    success: z.boolean(),
    url: z.string(),
    results: z.array(
      z.strictObject({
        action: z.string(),
        success: z.boolean(),
        data: z.string().nullable(),
        content: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    final_url: z.string(),
    credits_used: count,
  }),
  agent: z.strictObject({
    success: z.boolean(),
    status: z.enum(["completed", "processing", "failed"]),
    job_id: z.string().nullable(),
    data: z.union([anything, z.string()]).nullable(),
    sources: z.array(z.strictObject({ url: z.string(), title: z.string().nullable() })),
    credits_used: count,
    steps: z.array(agentStep),
    error: z.string().nullable(),
  }),
  usage: z.strictObject({
    plan: z.string(),
    billing_period: z.string().regex(/^\d{4}-\d\d$/),
    credits_used: count,
    credits_limit: count,
    credits_remaining: count,
    rate_limit_per_sec: count,
  }),
};

/** What its service says of a field that is wrong, and of anything else. */
export const problems = z.strictObject({
  detail: z
    .array(
      z.strictObject({ type: z.string(), loc: z.array(z.union([z.string(), z.int()])).min(1), msg: z.string().min(1) }),
    )
    .length(1),
});
export const detail = z.strictObject({ detail: z.string().min(1) });
