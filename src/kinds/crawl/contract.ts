import { z } from "zod";
import { defineContract } from "../../job/contract.ts";
import { jsonSchema, type Json } from "../../job/json.ts";

export const webUrl = z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).max(2_083);
const selector = z.string().min(1).max(500);
const patterns = z.array(z.string().min(1).max(500)).max(50).default([]);
/** Whatever came as JSON; the kind reads it. */
const json = z.unknown().transform((value) => value as Json);

export const pageFieldNames = ["markdown", "links", "metadata", "html", "screenshot"] as const;

const render = z
  .enum(["never", "auto", "always"])
  .default("auto")
  .describe("Open in Chromium; auto: pages made by scripts.");

/** How a page is fetched and what is taken from it. */
const pageFields = {
  fields: z.array(z.enum(pageFieldNames)).max(5).default(["markdown"]).describe("What to keep of a page."),
  schema: json.optional().describe("Data to extract: JSON Schema or { field: type }."),
  selectors: z
    .record(z.string().min(1).max(100), selector)
    .optional()
    .describe("CSS selector per field of the data; `a@href` takes an attribute."),
  list_selector: selector.optional().describe("Each element that matches becomes an item of the data."),
  render,
  wait_for: selector.optional().describe("When rendering: wait for this element."),
  page_timeout_ms: z.int().min(100).max(600_000).default(30_000),
  max_page_mb: z.number().min(0.001).max(100).default(5).describe("What exceeds it is cut off."),
};

/** What a language model is asked for, and how much it may take. */
const modelFields = {
  prompt: z.string().min(1).max(10_000).optional().describe("What is wanted, for a language model."),
  model_tokens: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(500_000)
    .describe("Most tokens of the language model to use; 0: only rules and selectors."),
};

/** How pages of a site are found. */
const siteFields = {
  within: z.enum(["path", "host", "site", "any"]).default("host").describe("How far to go from the start."),
  include: patterns.describe("Globs: /docs/** or https://…, or re:EXPRESSION."),
  exclude: patterns,
  depth: z.int().min(0).max(1_000).default(20).describe("Most links away from the start."),
  concurrency: z.int().min(1).max(64).default(8),
  rate: z.number().min(0.01).max(1_000).optional().describe("Most requests per second to one host."),
  sitemaps: z.boolean().default(true),
  max_seconds: z.number().min(1).max(604_800).default(3_600),
};

const pagination = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("next_button"), selector: selector.optional().describe("rel=next unless given.") }),
  z.strictObject({
    type: z.literal("url_pattern"),
    pattern: z
      .string()
      .max(2_000)
      .regex(/^https?:\/\/.*\{page\}/, "expected a URL that contains {page}"),
    start: z.int().min(0).default(1),
  }),
  z.strictObject({ type: z.literal("infinite_scroll"), scrolls: z.int().min(1).max(500).default(20) }),
]);

const crawl = z.strictObject({
  urls: z.array(webUrl).min(1).max(1_000),
  max_pages: z.int().min(1).max(1_000_000).default(100),
  ...siteFields,
  ...pageFields,
  ...modelFields,
  pagination: pagination.optional().describe("How a list goes on; its pages count as one level."),
  duplicates: z.enum(["drop", "keep"]).default("drop").describe("Pages that say the same; keep: each URL is a page."),
  near_duplicates: z.enum(["drop", "keep"]).default("drop").describe("Pages that differ in next to nothing."),
  max_total_mb: z.number().min(0.01).max(100_000).default(2_000).describe("Most to store in all."),
});

const map = z.strictObject({
  url: webUrl,
  max_urls: z.int().min(1).max(20_000).default(1_000),
  max_pages: z.int().min(0).max(10_000).default(200).describe("Most pages to open on the way."),
  search: z.string().min(1).max(200).optional().describe("Only paths or titles that contain these words."),
  render,
  ...siteFields,
});

const markdown = z.strictObject({ url: webUrl, ...pageFields });

const extract = z.strictObject({
  url: webUrl,
  ...pageFields,
  ...modelFields,
});

const viewport = {
  width: z.int().min(320).max(3_840).default(1_280),
  height: z.int().min(240).max(2_160).default(720),
};

const screenshot = z.strictObject({
  url: webUrl,
  full_page: z.boolean().default(true),
  format: z.enum(["png", "jpeg"]).default("png"),
  quality: z.int().min(1).max(100).default(80),
  wait_for: selector.optional(),
  page_timeout_ms: pageFields.page_timeout_ms,
  ...viewport,
});

const actionTimeout = z.int().min(100).max(60_000).default(10_000);

export const browseActionSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("navigate"), url: webUrl }),
  z.strictObject({ type: z.literal("wait"), selector: selector.optional(), timeout: actionTimeout }),
  z.strictObject({ type: z.literal("click"), selector }),
  z.strictObject({ type: z.literal("fill"), selector, value: z.string().max(10_000) }),
  z.strictObject({
    type: z.literal("type"),
    selector,
    value: z.string().max(10_000),
    delay: z.int().min(0).max(1_000).default(0),
  }),
  z.strictObject({ type: z.literal("select"), selector, value: z.string().max(1_000) }),
  z.strictObject({ type: z.literal("press"), key: z.string().min(1).max(50) }),
  z.strictObject({
    type: z.literal("scroll"),
    direction: z.enum(["up", "down"]).default("down"),
    amount: z.int().min(0).max(100_000).default(500),
  }),
  z.strictObject({
    type: z.literal("screenshot"),
    selector: selector.optional(),
    full_page: z.boolean().default(false),
  }),
  z.strictObject({
    type: z.literal("extract"),
    selector: selector.optional(),
    format: z.enum(["markdown", "html", "text"]).default("markdown"),
  }),
  z.strictObject({
    type: z.literal("evaluate"),
    expression: z.string().min(1).max(20_000).describe("JavaScript that runs in the page; its value is the data."),
  }),
]);

const browse = z.strictObject({
  url: webUrl,
  actions: z.array(browseActionSchema).min(1).max(50),
  page_timeout_ms: pageFields.page_timeout_ms,
  ...viewport,
});

const searchFields = {
  query: z.string().trim().min(1).max(1_000),
  language: z.string().max(10).optional(),
  country: z.string().max(10).optional(),
  safesearch: z.int().min(0).max(2).default(1),
  freshness: z.enum(["day", "week", "month", "year"]).optional(),
};

const search = z.strictObject({
  ...searchFields,
  category: z.enum(["web", "news", "images", "suggest"]).default("web"),
  count: z.int().min(1).max(50).default(10),
  offset: z.int().min(0).max(1_000).default(0),
});

const pipeline = z.strictObject({
  ...searchFields,
  max_results: z.int().min(1).max(50).default(10),
  extract_from: z.int().min(1).max(20).default(5).describe("How many of the results to open."),
  ...pageFields,
  ...modelFields,
});

/** What a crawl job does, by its action. */
const crawlInputSchema = z.discriminatedUnion("action", [
  crawl.extend({ action: z.literal("crawl") }),
  map.extend({ action: z.literal("map") }),
  markdown.extend({ action: z.literal("markdown") }),
  extract.extend({ action: z.literal("extract") }),
  screenshot.extend({ action: z.literal("screenshot") }),
  browse.extend({ action: z.literal("browse") }),
  search.extend({ action: z.literal("search") }),
  pipeline.extend({ action: z.literal("pipeline") }),
]);

export type CrawlRequest = z.output<typeof crawlInputSchema>;
export type CrawlAction = CrawlRequest["action"];
export type RequestOf<Action extends CrawlAction> = Extract<CrawlRequest, { action: Action }>;
export type BrowseAction = z.output<typeof browseActionSchema>;
export type Pagination = z.output<typeof pagination>;

/** A page of a crawl as its readers get it. */
export const crawledPageSchema = z.object({
  url: z.string(),
  title: z.string(),
  description: z.string(),
  language: z.string(),
  depth: z.int().describe("How many links away from the start."),
  status: z.int(),
  bytes: z.int(),
  words: z.int(),
  fetched_at: z.string(),
  is_cut: z.boolean().describe("It was larger than max_page_mb."),
  read_by: z.enum(["html", "browser"]).describe("From what the server sent, or as the browser showed it."),
  note: z.string().describe("Why it was not rendered, although it seems to be made by scripts."),
  left_out: z.int().describe("How many blocks the Markdown lacks because most pages of the site have them."),
  markdown: z.string(),
  links: z.array(jsonSchema),
  metadata: jsonSchema,
  html: z.string(),
  screenshot: jsonSchema,
  data: jsonSchema,
  missing: z.array(z.string()),
  is_valid: z.boolean(),
  method: z.string(),
  model: z.string(),
  model_error: z.string(),
  tokens: z.int(),
});

export const crawlContract = defineContract({
  name: "crawl",
  input: crawlInputSchema,
  result: z.unknown(),
  summaryOf: (input) => {
    const target = "query" in input ? input.query : "urls" in input ? input.urls[0] : input.url;
    return `${input.action} ${target ?? ""}`;
  },
  verbs: [
    {
      name: "crawl_site",
      description: "Crawl a website: clean Markdown and data of its pages, which crawl_pages reads while it runs.",
      path: "/v1/web/crawl_site",
      input: crawl,
      adds: { action: "crawl" },
      tool: {
        description: "Crawl a website as a background job: Markdown and data of its pages; job_output reads them.",
        fields: ["urls", "max_pages", "include", "schema", "render"],
        isHarmless: true,
      },
    },
    {
      name: "map_site",
      description: "List the URLs of a website, from its sitemaps and its links.",
      path: "/v1/web/map_site",
      input: map,
      adds: { action: "map" },
    },
    {
      name: "page_markdown",
      description: "Fetch a page as clean Markdown of its main content.",
      path: "/v1/web/page_markdown",
      input: markdown,
      adds: { action: "markdown" },
    },
    {
      name: "page_extract",
      description: "Extract structured data from a page, by a schema or by selectors.",
      path: "/v1/web/page_extract",
      input: extract,
      adds: { action: "extract" },
    },
    {
      name: "page_screenshot",
      description: "Take a picture of a page; job_output reads it, stream image.",
      path: "/v1/web/page_screenshot",
      input: screenshot,
      adds: { action: "screenshot" },
    },
    {
      name: "page_browse",
      description: "Do a list of actions in a page: click, fill, scroll, extract, run a script.",
      path: "/v1/web/page_browse",
      input: browse,
      adds: { action: "browse" },
    },
    {
      name: "web_search",
      description: "Search the web with the search engine that is configured.",
      path: "/v1/web/web_search",
      input: search,
      adds: { action: "search" },
    },
    {
      name: "search_extract",
      description: "Search the web and extract structured data from the first results.",
      path: "/v1/web/search_extract",
      input: pipeline,
      adds: { action: "pipeline" },
    },
  ],
});
