import type { Client } from "../../local/client.ts";
import type { JobAnswer, OutputAnswer } from "../answers.ts";
import { defineCommand } from "../command.ts";
import { describeJob } from "../job-description.ts";
import { escapeControls } from "../text-width.ts";

const lastLineBytes = 1_000;

export const show = defineCommand<{ readonly summary?: true }, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .option("--summary", "let a model sum up a running agent, in place of the facts; costs tokens");
  },
  run: async ({ client, screen }, options, id) => {
    if (options.summary === true) {
      const answer = await client.call<{ summary: string }>("job_summary", { id });
      if (options.json === true) screen.printJson(answer);
      else screen.print(escapeControls(answer.summary));
      return;
    }
    const job = await client.call<JobAnswer>("job_get", { id });
    if (options.json === true) screen.printJson(job);
    else screen.print(describeJob(job, await readLastLine(client, job), screen.style));
  },
});

async function readLastLine(client: Client, { id }: JobAnswer): Promise<string> {
  const { text } = await client.call<OutputAnswer>("job_output", { id, tail: 1, limit: lastLineBytes });
  return text.trim();
}
