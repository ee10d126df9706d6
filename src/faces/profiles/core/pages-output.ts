import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Job } from "../../../job/job.ts";
import { crawlPages } from "../../../operations/crawl.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { fence } from "../../mcp/tools/clean-text.ts";
import { textResult } from "./reply.ts";
import { countText } from "../../../text/count-text.ts";

type Page = Awaited<ReturnType<typeof crawlPages.call>>["pages"][number];

/** The output of a crawl: its pages as Markdown, as many as fit, and at least the beginning of one. */
export async function readPagesOutput(
  job: Job,
  { from = 0, limit }: { readonly from?: number; readonly limit: number },
  context: OperationContext,
): Promise<CallToolResult> {
  const shown: string[] = [];
  let left = limit;
  let next = from;
  let isComplete = false;
  while (left > 0 && !isComplete) {
    const read = await crawlPages.call(context, { id: job.id, cursor: next, limit: 1 });
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
  const end = isComplete ? "that is the end" : `read on with "from":${next}`;
  const label = shown.length === 0 ? "No pages" : fence(shown.join("\n\n"), `Pages of job ${job.id}`);
  return textResult([label, `[${countText(shown.length, "page")}; ${end}]`]);
}

function toText({ url = "", title = "", markdown = "", data, note }: Page): string {
  const found = data === undefined ? "" : `\ndata: ${JSON.stringify(data)}`;
  const remark = note === undefined ? "" : `\nnote: ${note}`;
  return `=== ${title}\n${url}${found}${remark}\n\n${markdown}`;
}
