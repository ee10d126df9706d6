import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Job } from "../../../job/job.ts";
import { crawlPages } from "../../../operations/crawl-pages.ts";
import { fence } from "./clean-text.ts";
import type { ToolContext } from "./manage-tools.ts";

interface PagesRead {
  readonly pages: readonly {
    readonly url: string;
    readonly title?: string;
    readonly markdown?: string;
    readonly data?: unknown;
  }[];
  readonly next: number;
  readonly is_complete: boolean;
}

/** The output of a crawl: its pages as Markdown, as many as fit, and at least the beginning of one. */
export async function readPagesOutput(
  job: Job,
  { from = 0, limit }: { readonly from?: number | undefined; readonly limit: number },
  context: ToolContext,
): Promise<CallToolResult> {
  const shown: string[] = [];
  let left = limit;
  let next = from;
  let isComplete = false;
  while (left > 0 && !isComplete) {
    const read = (await crawlPages.call(context, { id: job.id, cursor: next, limit: 1 })) as PagesRead;
    const [page] = read.pages;
    if (page === undefined) {
      isComplete = read.is_complete;
      break;
    }
    const text = toText(page);
    if (text.length > left && shown.length > 0) break;
    shown.push(text.length > left ? `${text.slice(0, left)}… [${text.length} characters in all]` : text);
    left -= text.length;
    next = read.next;
    isComplete = read.is_complete;
  }
  const text = shown.join("\n\n");
  const end = isComplete ? "that is the end" : `read on with "from":${next}`;
  const label = shown.length === 0 ? "No pages" : fence(text, `Pages of job ${job.id}`);
  return {
    content: [{ type: "text", text: `${label}\n[${shown.length} pages; ${end}]` }],
    structuredContent: { job_id: job.id, text, size: text.length, next, is_complete: isComplete },
  };
}

function toText({ url, title = "", markdown = "", data }: PagesRead["pages"][number]): string {
  const found = data === undefined ? "" : `\ndata: ${JSON.stringify(data)}`;
  return `=== ${title}\n${url}${found}\n\n${markdown}`;
}
