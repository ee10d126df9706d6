import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageContract } from "../../../kinds/page/contract.ts";
import type { AnswerOf, InputOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { followJob } from "../follow/follow-job.ts";
import { addNotifyOptions, toNotifyRequest, type NotifyOptions } from "../options/notify-options.ts";
import { collect, readDuration } from "../options/option-values.ts";
import { comparisonText, pageText } from "../show/page-text.ts";

interface AnalyzeOptions extends NotifyOptions {
  readonly detach?: true;
  readonly name?: string;
  readonly feature?: InputOf<"analyze_page">["features"];
  readonly preset?: InputOf<"analyze_page">["preset"];
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
      .option(
        "--feature <name>",
        "layout, motion, quality, responsive or performance; may be repeated (all unless given)",
        collect,
      )
      .option("--preset <name>", "mobile or desktop: measure how it loads on a slow phone, or on a laptop")
      .option("--name <name>", "a name to find the job by")
      .option("--timeout <time>", "maximum time for the whole analysis, such as 2m", readDuration)
      .option("--no-links", "do not check where links lead")
      .option("--no-robots", "open it even if its robots.txt forbids it; only with the owner's permission")
      .addHelpText("after", "\nCtrl-C leaves the job running. The report and the screenshots are kept with the job.");
    addNotifyOptions(command);
  },
  run: async (cli, options, url) => {
    const { client, screen } = cli;
    const job = await client.call("analyze_page", {
      url: /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]+:\d/.test(url) ? url : `https://${url}`,
      idempotency_key: randomUUID(),
      name: options.name,
      features: options.feature,
      preset: options.preset,
      timeout_ms: options.timeout,
      check_links: options.links ? undefined : false,
      respect_robots: options.robots ? undefined : false,
      ...toNotifyRequest(options),
    });
    const { detach, json } = options;
    const onSuccess = async ({ result }: AnswerOf<"job_get">): Promise<void> => {
      screen.print(pageText(pageContract.result.parse(result), screen.style));
      if (options.compare !== undefined) {
        const words = { before: options.compare, after: job.id };
        screen.print(comparisonText(await client.call("page_compare", words), screen.style));
      }
      if (options.open === true) await openReport(cli, job.id);
    };
    return followJob(cli, job, { detach, json, output: {}, onSuccess });
  },
});

/** Copies a job's report to a file of its own and opens it; says where it is when there is nothing to open it with. */
async function openReport({ client, screen }: CliContext, id: string): Promise<void> {
  const pieces: Buffer[] = [];
  let from: number | undefined = 0;
  while (from !== undefined) {
    const answer: AnswerOf<"job_artifact"> = await client.call("job_artifact", { id, name: "report.html", from });
    pieces.push(Buffer.from(answer.content ?? "", "base64"));
    from = answer.next;
  }
  const file = join(mkdtempSync(join(tmpdir(), "longhaul-report-")), "report.html");
  writeFileSync(file, Buffer.concat(pieces), { mode: 0o600 });
  const opener = spawn(process.platform === "darwin" ? "open" : "xdg-open", [file], {
    detached: true,
    stdio: "ignore",
  });
  opener.on("error", () => undefined);
  opener.unref();
  screen.note(screen.noteStyle.dim(`report: ${file}`));
}
