import { z } from "zod";
import { defined } from "../../../job/defined.ts";
import { askAgent, type AgentCall } from "./agent.ts";
import { toSearchclawId } from "./job-id.ts";
import { readJobStatus } from "./job-status.ts";
import { toReply } from "./replies.ts";
import { listOf, textOf, type Reply } from "./reply.ts";
import { runToEnd, startJob, type SearchclawContext } from "./run-job.ts";
import { withContext } from "./search-reply.ts";
import { readUsage } from "./usage.ts";

export interface SearchclawTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly run: (context: SearchclawContext, input: never) => Promise<Reply>;
  /** The pictures (PNG, in base64) in a reply, for clients to show. */
  readonly images?: (reply: Reply) => string[];
}

const mostPages = 10_000;
const url = z.string().describe("URL of the page");
const schema = z
  .record(z.string(), z.unknown())
  .describe('Data to extract: { field: "string" | "number" | "boolean" | "array" | [type] | {…} }, or a JSON Schema');
const pages = (usual: number): z.ZodDefault<z.ZodInt> => z.int().min(1).max(mostPages).default(usual);
const question = z.object({ q: z.string().describe("What to search for") });

type Question = z.output<typeof question>;
interface PageCall {
  readonly url: string;
}

/** Runs one job and answers with its result. */
const answerWith =
  (operation: string, toCall: (input: never) => object = (input) => input): SearchclawTool["run"] =>
  async (context, input) =>
    toReply(context, await runToEnd(context, operation, toCall(input)));

const searchIn = (category: string): SearchclawTool["run"] =>
  answerWith("web_search", ({ q }: Question) => ({ query: q, category }));

const searchTools: readonly SearchclawTool[] = [
  { name: "search", description: "Search the web.", input: question, run: searchIn("web") },
  {
    name: "search_ai",
    description: "Search the web; also answers with the first results as one text for a language model.",
    input: question,
    run: async (context, input) => withContext(await searchIn("web")(context, input)),
  },
  { name: "news", description: "Search the news.", input: question, run: searchIn("news") },
  { name: "images", description: "Search for images.", input: question, run: searchIn("images") },
  { name: "suggest", description: "Suggest how a query may go on.", input: question, run: searchIn("suggest") },
];

const pageTools: readonly SearchclawTool[] = [
  {
    name: "extract",
    description: "Extract structured data from a page, by a schema or a prompt.",
    input: z.object({
      url,
      schema: schema.optional(),
      prompt: z.string().optional().describe("What is wanted, for a language model"),
    }),
    run: answerWith("page_extract"),
  },
  {
    name: "markdown",
    description: "Get a page as clean Markdown.",
    input: z.object({ url }),
    run: answerWith("page_markdown"),
  },
  {
    name: "screenshot",
    description: "Take a picture of a page.",
    input: z.object({ url, full_page: z.boolean().default(true).describe("The whole page, not only its top") }),
    run: answerWith("page_screenshot"),
    images: ({ image_base64: image }) => [textOf(image)],
  },
];

const siteTools: readonly SearchclawTool[] = [
  {
    name: "crawl",
    description: "Crawl a website in the background. job_status tells how far it is, and has its pages.",
    input: z.object({ url, max_pages: pages(10).describe("Most pages to crawl"), schema: schema.optional() }),
    run: async (context, { url: start, ...call }: PageCall & { max_pages: number; schema?: object }) => {
      const id = toSearchclawId(await startJob(context, "crawl_site", { urls: [start], ...defined(call) }));
      return { job_id: id, status: "processing", poll_url: `/v1/jobs/${id}` };
    },
  },
  {
    name: "job_status",
    description: "Get the status of a job, and its result once it has ended.",
    input: z.object({ job_id: z.string().describe("ID of the job") }),
    run: (context, { job_id: id }: { job_id: string }) => readJobStatus(context, id),
  },
  {
    name: "map",
    description: "List the URLs of a website.",
    input: z.object({
      url,
      max_pages: pages(100).describe("Most URLs to list"),
      search: z.string().optional().describe("Only URLs or titles that contain these words"),
    }),
    run: answerWith("map_site", ({ max_pages: most, ...call }: PageCall & { max_pages: number }) => ({
      ...call,
      max_urls: most,
      max_pages: most,
    })),
  },
];

const browseInput = z.object({
  url,
  actions: z
    .array(z.looseObject({ type: z.string().optional(), action: z.string().optional() }))
    .describe("Actions by type: navigate, wait, click, fill, type, select, press, scroll, screenshot, extract"),
});

const combinedTools: readonly SearchclawTool[] = [
  {
    name: "pipeline",
    description: "Search the web and extract structured data from the first results.",
    input: z.object({
      query: z.string().describe("What to search for"),
      schema,
      max_results: z.int().min(1).max(50).default(10).describe("Most results of the search"),
      extract_from: z.int().min(1).max(20).default(5).describe("How many of the results to extract from"),
    }),
    run: answerWith("search_extract"),
  },
  {
    name: "browse",
    description: "Do a list of actions in a page: click, fill, scroll, take pictures, extract.",
    input: browseInput,
    // Clients name the kind of an action in either field.
    run: answerWith("page_browse", ({ actions, ...call }: z.output<typeof browseInput>) => ({
      ...call,
      actions: actions.map(({ action, type, ...fields }) => ({ type: type ?? action, ...fields })),
    })),
    images: ({ results }) =>
      listOf(results)
        .filter(({ action, success }) => action === "screenshot" && success === true)
        .map(({ data }) => textOf(data)),
  },
  {
    name: "agent",
    description: "Let an agent research a question on the web.",
    input: z.object({
      prompt: z.string().min(1).max(2_000).describe("What to find out"),
      schema: schema.optional(),
      max_credits: z.int().min(1).max(50).default(10).describe("Above 10 it answers at once with a job_id"),
      max_sources: z.int().min(1).max(20).default(5).describe("Most pages to use"),
    }),
    run: (context, call: AgentCall) => askAgent(context, call),
  },
  {
    name: "usage",
    description: "Show what was done this month.",
    input: z.object({}),
    run: (context) => readUsage(context),
  },
];

/** The tools of SearchClaw's MCP server, in its order. */
export const searchclawTools: readonly SearchclawTool[] = [
  ...searchTools,
  ...pageTools,
  ...siteTools,
  ...combinedTools,
];
