import type { ServerResponse } from "node:http";
import { parseInput } from "../../../job/issue.ts";
import { crawlPages } from "../../../operations/crawl.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { isDrained } from "./live-streams.ts";
import { safetyHeaders } from "../../door/answer.ts";
import type { Fields } from "../route.ts";

const pagesPerRead = 100;

/** Answers with the pages of a crawl as JSON lines: as many as are asked for, else all that are there. */
export async function sendPageLines(
  context: OperationContext,
  fields: Fields,
  { response, drainMs }: { response: ServerResponse; drainMs: number },
): Promise<void> {
  const asked = parseInput(crawlPages.input, fields, crawlPages.name);
  const read = (place: Partial<typeof asked>): ReturnType<typeof crawlPages.call> =>
    crawlPages.call(context, { ...asked, ...place });
  let left = fields["limit"] === undefined ? Infinity : Number(fields["limit"]);
  let cursor = Number(fields["cursor"] ?? 0);
  let found = await read(left === Infinity ? { limit: pagesPerRead } : {});
  response.writeHead(200, { ...safetyHeaders, "content-type": "application/x-ndjson" });
  while (found.next > cursor && !response.destroyed) {
    const lines = found.pages.map((page) => `${JSON.stringify(page)}\n`).join("");
    if (lines !== "" && !response.write(lines) && !(await isDrained(response, drainMs))) {
      response.destroy();
      return;
    }
    left -= found.pages.length;
    if (left <= 0) break;
    cursor = found.next;
    found = await read({ limit: Math.min(left, pagesPerRead), cursor, wait_ms: 0 });
  }
  response.end();
}
