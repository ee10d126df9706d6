import { randomUUID } from "node:crypto";
import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";
import { defineCommand } from "../command.ts";
import { followJob } from "../follow/follow-job.ts";
import { editJson } from "../options/edit-json.ts";
import { mergePatch, setField, type Fields } from "../options/input-changes.ts";
import { collect } from "../options/option-values.ts";
import { isFinished, jobLabel } from "../show/job-text.ts";
import { hasMoreToSay } from "./start.ts";

interface RerunOptions {
  readonly detach?: true;
  readonly edit?: true;
  readonly set?: string[];
}

export const rerun = defineCommand<RerunOptions, [id: string]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .option("-d, --detach", "print the id and do not wait")
      .option("--edit", "change the input in your editor first (VISUAL or EDITOR)")
      .option(
        "--set <field=value>",
        "change a field of the input, such as command=… or env.NAME=…; may be repeated",
        collect,
      )
      .addHelpText("after", "\nCtrl-C leaves the new job running. The old job stays as it is.");
  },
  run: async (cli, options, id) => {
    const { client, screen } = cli;
    const before = await client.call("job_get", { id });
    if (!isFinished(before)) {
      throw new LonghaulError(
        "conflict",
        `Job ${jobLabel(before)} has not ended: longhaul restart ${id} ends it and runs it again.`,
      );
    }
    const { detach, edit, set = [] } = options;
    const input = demandFields(before.input, edit === true || set.length > 0);
    const wanted = set.reduce(setField, input);
    const edited = edit === true ? await editJson(cli, wanted) : wanted;
    const changes = mergePatch(input, edited);
    const isChanged = Object.keys(changes).length > 0;
    if (edit === true && !isChanged) {
      throw new LonghaulError(
        "invalid_input",
        `Nothing was changed, so nothing was started: longhaul rerun ${id} runs it as it was.`,
      );
    }
    // Lets the call be made again when the server dies in the middle of it, without starting twice.
    const request = { id: before.id, idempotency_key: randomUUID(), ...(isChanged ? { changes } : {}) };
    const job = await client.call("job_rerun", request);
    return followJob(cli, job, {
      detach,
      json: options.json,
      output: {},
      onSuccess: ({ result }) => {
        if (hasMoreToSay(result)) screen.printJson(result);
      },
    });
  },
});

function demandFields(input: Json, isNeeded: boolean): Fields {
  if (isRecord(input)) return input;
  if (!isNeeded) return {};
  throw new LonghaulError("invalid_input", "The input of this job is no object, so its fields cannot be changed.");
}
