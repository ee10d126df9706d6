import { randomUUID } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { JobAnswer } from "../answers.ts";
import { attend, attendSilently } from "../attend.ts";
import { defineCommand } from "../command.ts";
import { collect, readDuration, readWhole } from "../option-values.ts";

interface RunOptions {
  readonly detach?: true;
  readonly name?: string;
  readonly timeout?: number;
  readonly retry?: number;
  readonly priority?: number;
  readonly tag?: string[];
}

export const endpointRun = defineCommand<RunOptions, [endpoint: string, input: string | undefined]>({
  describe: (command) => {
    command
      .argument("<endpoint>", "its name, or the id of a RunPod endpoint")
      .argument("[input]", "a JSON object, or - for one that is piped in here ({} unless given)")
      .option("-d, --detach", "print the id and do not wait")
      .option("--name <name>", "a name to find the job by")
      .option("--timeout <time>", "most time one attempt may run, such as 10m", readDuration)
      .option("--retry <times>", "try again so many times if it fails", readWhole(0, 99))
      .option("--priority <number>", "higher runs first; 0 is normal", readWhole(-1_000, 1_000))
      .option("--tag <tag>", "may be repeated", collect)
      .addHelpText("after", "\nPrints the stream as it comes, then the output. Ctrl-C leaves the job running.");
  },
  run: async (front, options, endpoint, text = "{}") => {
    const { client, screen } = front;
    const { name, priority, timeout, retry, tag } = options;
    const job = await client.call<JobView>("run_endpoint", {
      endpoint,
      input: readInput(text === "-" ? await readAll(process.stdin) : text),
      // Lets the call be made again when the server dies in the middle of it, without running the job twice.
      idempotency_key: randomUUID(),
      ...defined({ name, priority, tags: tag, timeout_ms: timeout }),
      ...defined({ attempts: retry === undefined ? undefined : retry + 1 }),
    });
    if (options.detach === true) {
      if (options.json === true) screen.printJson(job);
      else screen.print(job.id);
      return undefined;
    }
    if (options.json === true) return attendSilently(front, job);
    const code = await attend(front, job, { isPty: false });
    const { result } = await client.call<JobAnswer>("job_get", { id: job.id });
    if (typeof result === "object" && result !== null && "output" in result) screen.printJson(result["output"]);
    return code;
  },
});

function readInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LonghaulError("invalid_input", `The input must be a JSON object, got ${text.slice(0, 60)}.`, {
      cause: error,
    });
  }
}
