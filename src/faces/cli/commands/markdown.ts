import { randomUUID } from "node:crypto";
import type { JobView } from "../../../operations/job-view.ts";
import { defineCommand } from "../command.ts";
import { addPageOptions, toPageRequest, type PageOptions } from "../crawl-options.ts";
import { attendResult } from "../attend-result.ts";

export const markdown = defineCommand<PageOptions, [url: string]>({
  describe: (command) => {
    addPageOptions(command.argument("<url>", "the page"));
  },
  run: async (front, options, url) => {
    const request = { url, idempotency_key: randomUUID(), ...toPageRequest(options) };
    const job = await front.client.call<JobView>("page_markdown", request);
    return attendResult(front, job, options, (result) => {
      const page = result as { markdown: string; data?: unknown };
      if (page.data === undefined) front.screen.print(page.markdown);
      else front.screen.printJson(page.data);
    });
  },
});
