import type { Command } from "commander";
import type { AnswerOf } from "../../../operations/registry.ts";
import { countText } from "../../../text/count-text.ts";
import { escapeControls } from "../../../text/controls.ts";
import { defineCommand } from "../command.ts";
import { readDuration, readWhole } from "../options/option-values.ts";
import { formatJobs, inOrder } from "../show/job-table.ts";
import { formatTable, type Column } from "../show/output-table.ts";
import { cancel as cancelJobs } from "./job.ts";
import { wait as waitForJobs } from "./wait.ts";

type Batch = AnswerOf<"batch_get">;

const columns: readonly Column<Batch>[] = [
  { title: "BATCH", text: ({ batch }) => escapeControls(batch) },
  { title: "ENDED", text: ({ finished, total, percent }) => `${finished}/${total} (${percent}%)` },
  { title: "JOBS", text: describeStates },
];

function describeStates({ jobs }: Batch): string {
  return Object.entries(jobs)
    .map(([state, count]) => `${count} ${state.replaceAll("_", " ")}`)
    .join(", ");
}

export const list = defineCommand<{ limit?: number; cursor?: string }>({
  describe: (command) => {
    command
      .option("-n, --limit <count>", "maximum number of batches to show (20)", readWhole(1, 200))
      .option("--cursor <cursor>", "continue where the previous list ended");
  },
  run: async ({ client, screen }, { json, limit, cursor }) => {
    const answer = await client.call("batch_list", { limit, cursor });
    if (json === true) screen.printJson(answer);
    else if (answer.batches.length === 0) screen.note("No batches: run --batch NAME puts jobs into one.");
    else {
      const width = screen.terminal.columns();
      screen.print(formatTable(answer.batches, columns, { width, paintTitle: screen.style.dim }));
    }
    if (json !== true && answer.cursor !== undefined) screen.note(`More: add --cursor ${answer.cursor}`);
  },
});

const maxShown = 100;

export const show = defineCommand<object, [batch: string]>({
  describe: addBatch,
  run: async ({ client, screen }, options, batch) => {
    const measured = await client.call("batch_get", { batch });
    if (options.json === true) return screen.printJson(measured);
    const { jobs, cursor } = await client.call("job_list", { batch, limit: maxShown, explain: true });
    screen.print(formatJobs(inOrder(jobs), screen));
    const { finished, total } = measured;
    screen.print(screen.style.dim(`${finished} of ${countText(total, "job")} ended: ${describeStates(measured)}`));
    if (cursor !== undefined) screen.note(`The newest ${maxShown} are shown; all: longhaul ps -a --batch ${batch}`);
    return undefined;
  },
});

export const wait = defineCommand<{ timeout?: number }, [batch: string]>({
  describe: (command) => {
    addBatch(command);
    command.option("--timeout <time>", "give up after this; the jobs go on", readDuration);
  },
  run: (cli, options, batch) => waitForJobs.run(cli, { ...options, batch }, [[]]),
});

export const cancel = defineCommand<{ reason?: string }, [batch: string]>({
  describe: (command) => {
    addBatch(command);
    command.option("--reason <text>", "the reason, kept with the jobs");
  },
  run: async (cli, options, batch) => {
    // Says that there is no such batch, where a filter would only match nothing.
    await cli.client.call("batch_get", { batch });
    return cancelJobs.run(cli, { ...options, batch }, [[]]);
  },
});

function addBatch(command: Command): void {
  command.argument("<batch>", "its name");
}
