import { z } from "zod";
import type { Json } from "../../../job/json.ts";
import { webUrl } from "../../../kinds/crawl/contract.ts";
import type { StartOperation } from "../../../operations/start.ts";
import {
  crawlSite,
  mapSite,
  pageBrowse,
  pageExtract,
  pageMarkdown,
  pageScreenshot,
  searchExtract,
  webSearch,
} from "../../../operations/start-operations.ts";
import { toHintedSchema, type JsonSchema } from "../../../text/short-schema.ts";
import { defineTool, type CallContext, type Tool, type ToolDefinition } from "../profile.ts";
import { askAgent } from "./agent.ts";
import { maxSources } from "./agent-reply.ts";
import { browseActionsSchema, readActions } from "./browse.ts";
import { checkText } from "./check-text.ts";
import { searchForModelTag } from "./credits.ts";
import { toSearchclawId } from "./job-id.ts";
import { readJobStatus } from "./job-status.ts";
import { toReply } from "./replies.ts";
import { listOf, textOf, type Reply } from "./reply.ts";
import { runToEnd, startJob } from "./run-job.ts";
import { withContext } from "./search-reply.ts";
import { readUsage } from "./usage.ts";

/** A reply, with the pictures in it (PNG, in base64) for clients to show. */
export interface SearchclawAnswer {
  readonly reply: Reply;
  readonly images: readonly string[];
}

function defineSearchclawTool<Input extends z.ZodType>(
  tool: ToolDefinition<Input, Reply>,
  findImages: (reply: Reply) => readonly string[] = () => [],
): Tool<SearchclawAnswer> {
  return defineTool({
    ...tool,
    run: async (...call) => {
      const reply = await tool.run(...call);
      return { reply, images: findImages(reply) };
    },
  });
}

/** What the jobs behind them refuse is refused here, in the words of who calls. */
const maxPages = 10_000;
const url = webUrl.describe("URL of the page");
const schema = z
  .record(z.string(), z.unknown())
  .describe(
    'Data to extract: { field: "string" | "number" | "boolean" | "array" | [type] | {…} | a description }, or a JSON Schema',
  );
const pages = (usual: number): z.ZodDefault<z.ZodInt> => z.int().min(1).max(maxPages).default(usual);
const text = (longest: number): z.ZodString => z.string().trim().min(1).max(longest);
const question = z.object({ q: text(500).describe("What to search for") });

type Question = z.output<typeof question>;
type Run<Input> = (context: CallContext, input: Input) => Promise<Reply>;

/** Runs one job and answers with its result. */
const answerWith =
  <Fields extends z.ZodObject, Input>(
    operation: StartOperation<string, Fields>,
    toCall: (input: Input) => z.input<StartOperation<string, Fields>["input"]>,
  ): Run<Input> =>
  async (context, input) =>
    toReply(context, await checkText(context, await runToEnd(context, operation, toCall(input))));

/** What SearchClaw's service takes for granted. */
const language = "en";
const imagesPerSearch = 20;

type Category = "web" | "news" | "images" | "suggest";

const searchIn = (category: Category, tags: string[] = []): Run<Question> =>
  answerWith(webSearch, ({ q }) => ({
    query: q,
    category,
    language,
    tags,
    ...(category === "images" ? { count: imagesPerSearch } : {}),
  }));

const toSchema = (given: object | undefined): JsonSchema | undefined =>
  given === undefined ? undefined : toHintedSchema(given as Json);

const searchTools: readonly Tool<SearchclawAnswer>[] = [
  defineSearchclawTool({ name: "search", description: "Search the web.", input: question, run: searchIn("web") }),
  defineSearchclawTool({
    name: "search_ai",
    description: "Search the web; also answers with the first results as one text for a language model.",
    input: question,
    run: async (context, input) => withContext(await searchIn("web", [searchForModelTag])(context, input)),
  }),
  defineSearchclawTool({ name: "news", description: "Search the news.", input: question, run: searchIn("news") }),
  defineSearchclawTool({ name: "images", description: "Search for images.", input: question, run: searchIn("images") }),
  defineSearchclawTool({
    name: "suggest",
    description: "Suggest how a query may go on.",
    input: z.object({ q: text(200).describe("What to search for") }),
    run: searchIn("suggest"),
  }),
];

const pageTools: readonly Tool<SearchclawAnswer>[] = [
  defineSearchclawTool({
    name: "extract",
    description: "Extract structured data from a page, by a schema or a prompt.",
    input: z
      .object({
        url,
        schema: schema.optional(),
        prompt: z.string().optional().describe("What is wanted, for a language model"),
      })
      .refine(
        ({ schema: wanted, prompt = "" }) => wanted !== undefined || prompt !== "",
        "must have a schema or a prompt",
      ),
    // Its client sends no empty prompt.
    run: answerWith(pageExtract, ({ schema: wanted, prompt, ...call }) => ({
      ...call,
      schema: toSchema(wanted),
      prompt: prompt === "" ? undefined : prompt,
    })),
  }),
  defineSearchclawTool({
    name: "markdown",
    description: "Get a page as clean Markdown.",
    input: z.object({ url }),
    run: answerWith(pageMarkdown, (call) => call),
  }),
  defineSearchclawTool(
    {
      name: "screenshot",
      description: "Take a picture of a page.",
      input: z.object({ url, full_page: z.boolean().default(true).describe("The whole page, not only its top") }),
      run: answerWith(pageScreenshot, (call) => call),
    },
    ({ image_base64: image }) => [textOf(image)],
  ),
];

const siteTools: readonly Tool<SearchclawAnswer>[] = [
  defineSearchclawTool({
    name: "crawl",
    description: "Crawl a website in the background. job_status tells how far it is, and has its pages.",
    input: z.object({
      url,
      max_pages: pages(10).describe("Maximum number of pages to crawl"),
      schema: schema.optional(),
    }),
    run: async (context, { url: start, schema: wanted, max_pages: most }) => {
      // Its clients have no switch for it, and a page too many is better than one too few.
      const keeps = { near_duplicates: "keep" } as const;
      const call = { urls: [start], max_pages: most, schema: toSchema(wanted), ...keeps };
      const id = toSearchclawId(await startJob(context, crawlSite, call));
      return { job_id: id, status: "processing", poll_url: `/v1/jobs/${id}` };
    },
  }),
  defineSearchclawTool({
    name: "job_status",
    description: "Get the status of a job, and its result once it has ended.",
    input: z.object({
      job_id: z.string().describe("ID of the job"),
      cursor: z.int().min(0).optional().describe("next_cursor of the reply before, for the pages that did not fit"),
      limit: z.int().min(1).max(maxPages).optional().describe("At most so many pages; as many as fit unless given"),
    }),
    run: (context, { job_id: id, cursor = 0, limit = Infinity }) => readJobStatus(context, id, { cursor, limit }),
  }),
  defineSearchclawTool({
    name: "map",
    description: "List the URLs of a website.",
    input: z.object({
      url,
      max_pages: pages(100).describe("Maximum number of URLs to list"),
      search: z.string().max(200).optional().describe("Only URLs or titles that contain these words"),
    }),
    run: answerWith(mapSite, ({ max_pages: max, search, ...call }) => ({
      ...call,
      search: search === "" ? undefined : search,
      max_urls: max,
      max_pages: max,
    })),
  }),
];

const combinedTools: readonly Tool<SearchclawAnswer>[] = [
  defineSearchclawTool({
    name: "pipeline",
    description: "Search the web and extract structured data from the first results.",
    input: z.object({
      query: text(500).describe("What to search for"),
      schema,
      max_results: z.int().min(1).max(50).default(10).describe("Maximum number of results"),
      extract_from: z.int().min(1).max(20).default(5).describe("How many of the results to extract from"),
    }),
    run: answerWith(searchExtract, ({ schema: wanted, ...call }) => ({ ...call, language, schema: toSchema(wanted) })),
  }),
  defineSearchclawTool(
    {
      name: "browse",
      description: "Do a list of actions in a page: click, fill, scroll, take pictures, extract.",
      input: z.object({ url, actions: browseActionsSchema }),
      run: answerWith(pageBrowse, ({ actions, ...call }) => ({ ...call, actions: readActions(actions) })),
    },
    ({ results }) =>
      listOf(results)
        .filter(({ action, success }) => action === "screenshot" && success === true)
        .map(({ data }) => textOf(data)),
  ),
  defineSearchclawTool({
    name: "agent",
    description: "Let an agent research a question on the web.",
    input: z.object({
      prompt: text(2_000).describe("What to find out"),
      schema: schema.optional(),
      max_credits: z
        .int()
        .min(1)
        .max(50)
        .default(10)
        .describe("Maximum number of searches and pages; above 10 it answers at once with a job_id"),
      max_sources: z.int().min(1).max(maxSources).default(5).describe("Maximum number of pages to use"),
    }),
    run: askAgent,
  }),
  defineSearchclawTool({
    name: "usage",
    description: "Show what was done this month.",
    input: z.object({}),
    run: readUsage,
  }),
];

/** The tools of SearchClaw's MCP server, in its order. */
export const searchclawTools: readonly Tool<SearchclawAnswer>[] = [
  ...searchTools,
  ...pageTools,
  ...siteTools,
  ...combinedTools,
];
