import { randomUUID } from "node:crypto";
import { defined } from "../../../job/defined.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { defineCommand } from "../command.ts";
import { addSiteOptions, toSiteRequest, type SiteOptions } from "../crawl-options.ts";
import { attendResult } from "../attend-result.ts";
import { readWhole } from "../option-values.ts";
import { escapeControls } from "../text-width.ts";

interface MapOptions extends SiteOptions {
  readonly maxUrls?: number;
  readonly search?: string;
}

export const map = defineCommand<MapOptions, [url: string]>({
  describe: (command) => {
    addSiteOptions(command.argument("<url>", "the website"))
      .option("--max-urls <number>", "most URLs to list (1000 unless given)", readWhole(1, 20_000))
      .option("--search <words>", "only URLs or titles that contain these words");
  },
  run: async (front, options, url) => {
    const { maxUrls, search } = options;
    const request = {
      url,
      idempotency_key: randomUUID(),
      ...toSiteRequest(options),
      ...defined({ max_urls: maxUrls, search }),
    };
    const job = await front.client.call<JobView>("map_site", request);
    return attendResult(front, job, options, (result) => {
      const { urls } = result as { urls: { url: string }[] };
      for (const found of urls) front.screen.print(escapeControls(found.url));
    });
  },
});
