import { randomUUID } from "node:crypto";
import { defined } from "../../../job/defined.ts";
import type { Comparison } from "../../../operations/compare-analyses.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { pageDigestSchema } from "../../../operations/page-digest.ts";
import type { JobAnswer } from "../answers.ts";
import { attend, attendSilently } from "../attend.ts";
import { comparisonText, pageText } from "../page-text.ts";
import { defineCommand } from "../command.ts";
import { collect, readDuration } from "../option-values.ts";
import { openReport } from "../open-report.ts";

interface AnalyzeOptions {
  readonly detach?: true;
  readonly name?: string;
  readonly feature?: string[];
  readonly timeout?: number;
  readonly open?: true;
  readonly compare?: string;
  readonly robots: boolean;
  readonly links: boolean;
}

export const analyze = defineCommand<AnalyzeOptions, [url: string]>({
  describe: (command) => {
    command
      .argument("<url>", "the address of a web page")
      .option("-d, --detach", "print the id and do not wait")
      .option("--open", "open the report in your browser")
      .option("--compare <id>", "say what changed since an earlier analysis of the same page")
      .option("--feature <name>", "layout, motion, quality or responsive; may be repeated (all unless given)", collect)
      .option("--name <name>", "a name to find the job by")
      .option("--timeout <time>", "most time for all of it, such as 2m", readDuration)
      .option("--no-links", "do not check where links lead")
      .option("--no-robots", "open it though its robots.txt says no; only with its owner's permission")
      .addHelpText("after", "\nCtrl-C leaves the job running. The report and the screenshots are kept with the job.");
  },
  run: async (front, options, url) => {
    const { client, screen } = front;
    const job = await client.call<JobView>("analyze_page", {
      url: /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]+:\d/.test(url) ? url : `https://${url}`,
      idempotency_key: randomUUID(),
      ...defined({
        name: options.name,
        features: options.feature,
        timeout_ms: options.timeout,
        check_links: options.links ? undefined : false,
        respect_robots: options.robots ? undefined : false,
      }),
    });
    if (options.detach === true) {
      if (options.json === true) screen.printJson(job);
      else screen.print(job.id);
      return undefined;
    }
    if (options.json === true) return attendSilently(front, job);
    const exitCode = await attend(front, job, { isPty: false });
    const { result, state } = await client.call<JobAnswer>("job_get", { id: job.id });
    if (state !== "succeeded") return exitCode;
    screen.print(pageText(pageDigestSchema.parse(result), screen.style));
    if (options.compare !== undefined) {
      const words = { before: options.compare, after: job.id };
      screen.print(comparisonText(await client.call<Comparison>("page_compare", words), screen.style));
    }
    if (options.open === true) await openReport(front, job.id);
    return exitCode;
  },
});
