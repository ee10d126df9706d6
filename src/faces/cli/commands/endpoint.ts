import { randomUUID } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { LonghaulError } from "../../../job/error.ts";
import type { AnswerOf, InputOf } from "../../../operations/registry.ts";
import { defineCommand } from "../command.ts";
import { followJob } from "../follow/follow-job.ts";
import { addNotifyOptions, toNotifyRequest, type NotifyOptions } from "../options/notify-options.ts";
import { collect, readDuration, readWhole } from "../options/option-values.ts";
import { formatTable } from "../show/output-table.ts";
import { countText } from "../../../text/count-text.ts";

interface ListAnswer {
  readonly endpoints: readonly { name: string; type: string; mode?: string; concurrency: number }[];
  readonly any_runpod: boolean;
}

export const list = defineCommand<object>({
  run: async ({ client, screen }, options) => {
    const answer = await client.call("endpoint_list", {});
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    const columns = [
      { title: "NAME", text: ({ name }: ListAnswer["endpoints"][number]) => name },
      { title: "TYPE", text: ({ type }: ListAnswer["endpoints"][number]) => type },
      { title: "MODE", text: ({ mode = "" }: ListAnswer["endpoints"][number]) => mode },
      { title: "AT ONCE", text: ({ concurrency }: ListAnswer["endpoints"][number]) => String(concurrency) },
    ];
    const { style, terminal } = screen;
    if (answer.endpoints.length > 0) {
      screen.print(formatTable(answer.endpoints, columns, { width: terminal.columns(), paintTitle: style.dim }));
    }
    if (answer.any_runpod) screen.note("Any RunPod endpoint can be used by its id.");
    else if (answer.endpoints.length === 0) screen.note("No endpoint is configured: longhaul endpoint init NAME");
  },
});

interface RunOptions extends NotifyOptions {
  readonly detach?: true;
  readonly name?: string;
  readonly timeout?: number;
  readonly retry?: number;
  readonly priority?: number;
  readonly tag?: string[];
}

export const run = defineCommand<RunOptions, [endpoint: string, input: string | undefined]>({
  describe: (command) => {
    command
      .argument("<endpoint>", "its name, or the id of a RunPod endpoint")
      .argument("[input]", "a JSON object, or - for one that is piped in here ({} unless given)")
      .option("-d, --detach", "print the id and do not wait")
      .option("--name <name>", "a name to find the job by")
      .option("--timeout <time>", "maximum running time of one attempt, such as 10m", readDuration)
      .option("--retry <times>", "how many times to try again if it fails", readWhole(0, 99))
      .option("--priority <number>", "higher runs first; 0 is normal", readWhole(-1_000, 1_000))
      .option("--tag <tag>", "may be repeated", collect)
      .addHelpText("after", "\nPrints the stream as it comes, then the output. Ctrl-C leaves the job running.");
    addNotifyOptions(command);
  },
  run: async (cli, options, endpoint, text = "{}") => {
    const { client, screen } = cli;
    const { name, priority, timeout, retry, tag } = options;
    const job = await client.callWithContext("run_endpoint", {
      endpoint,
      input: readInput(text === "-" ? await readAll(process.stdin) : text),
      // Lets the call be made again when the server dies in the middle of it, without running the job twice.
      idempotency_key: randomUUID(),
      name,
      priority,
      tags: tag,
      timeout_ms: timeout,
      attempts: retry === undefined ? undefined : retry + 1,
      ...toNotifyRequest(options),
    });
    const { detach, json } = options;
    const onSuccess = ({ result }: AnswerOf<"job_get">): void => {
      if (typeof result === "object" && result !== null && "output" in result) screen.printJson(result["output"]);
    };
    return followJob(cli, job, { detach, json, output: {}, onSuccess });
  },
});

function readInput(text: string): InputOf<"run_endpoint">["input"] {
  try {
    return JSON.parse(text) as InputOf<"run_endpoint">["input"];
  } catch (error) {
    throw new LonghaulError("invalid_input", `The input must be a JSON object, got ${text.slice(0, 60)}.`, {
      cause: error,
    });
  }
}

export const health = defineCommand<object, [endpoint: string]>({
  describe: (command) => {
    command.argument("<endpoint>", "its name");
  },
  run: async ({ client, screen }, options, endpoint) => {
    const answer = await client.callWithContext("endpoint_health", { endpoint });
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    for (const part of ["jobs", "workers"] as const) {
      const counts = Object.entries(answer[part]).map(([name, count]) => `${count} ${name}`);
      screen.print(`${screen.style.dim(part.padEnd(7))} ${counts.join(", ")}`);
    }
    if (answer.hint !== undefined) screen.print(`${screen.style.dim("queue".padEnd(7))} ${answer.hint}`);
  },
});

export const purge = defineCommand<object, [endpoint: string]>({
  describe: (command) => {
    command.argument("<endpoint>", "its name");
  },
  run: async ({ client, screen }, options, endpoint) => {
    const answer = await client.callWithContext("endpoint_purge", { endpoint });
    if (options.json === true) screen.printJson(answer);
    else screen.print(`Removed ${countText(answer.removed, "queued job")}.`);
  },
});
