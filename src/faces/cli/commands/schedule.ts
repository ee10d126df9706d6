import { Option, type Command } from "commander";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { InputOf } from "../../../operations/registry.ts";
import type { ScheduleView } from "../../../operations/schedule.ts";
import { escapeControls } from "../../../text/controls.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { followJob } from "../follow/follow-job.ts";
import { collect, readDuration, readWhole } from "../options/option-values.ts";
import { describeSchedule, nextText, planText, runText } from "../show/schedule-text.ts";
import { formatTable, type Column } from "../show/output-table.ts";
import { toVariables } from "./run.ts";

interface AddOptions {
  readonly cron?: string;
  readonly tz?: string;
  readonly every?: number;
  readonly missed?: InputOf<"schedule_add">["missed"];
  readonly overlap?: true;
  readonly start?: string;
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: string[];
  readonly timeout?: number;
  readonly retry?: number;
}

export const add = defineCommand<AddOptions, [name: string, words: string[]]>({
  describe: describeAdd,
  run: async (cli, options, name, words) => {
    const { cron, every, missed, overlap } = options;
    const answer = await cli.client.callWithContext("schedule_add", {
      name,
      cron,
      // Of whoever types it, not of the server.
      tz: options.tz ?? (cron === undefined ? undefined : Intl.DateTimeFormat().resolvedOptions().timeZone),
      every_ms: every,
      missed,
      overlap,
      ...toStart(words, options, cli),
    });
    if (options.json === true) return cli.screen.printJson(answer);
    cli.screen.print(`${scheduleLabel(answer)} runs ${planText(answer)}, next ${nextText(answer)}.`);
  },
});

function describeAdd(command: Command): void {
  command
    .usage('[options] NAME --cron "0 3 * * *" -- COMMAND…')
    .argument("<name>", "what it is called; its jobs are called so too")
    .argument("[command...]", "one word: a command line for the shell; several: a program and its arguments")
    .option("--cron <line>", 'minute, hour, day, month and weekday, such as "0 3 * * *"')
    .option("--tz <zone>", "the time zone of the cron line, such as Europe/Berlin (this machine's unless given)")
    .option("--every <time>", "every so often, such as 10m, instead of a cron line", readDuration)
    .addOption(
      new Option("--missed <what>", "times at which the server did not run (once unless given)").choices([
        "skip",
        "once",
        "all",
      ]),
    )
    .option("--overlap", "start though the run before is not over; without it such a time is skipped")
    .option("--start <verb>", "what to start instead of a command, as `longhaul start` names it, such as crawl-site")
    .option("--input <json>", 'what that takes, such as \'{"urls":["https://example.com"]}\'')
    .option("--cwd <folder>", "working directory of the command (this one unless given)")
    .option("--env <name=value>", "a variable, or just the name of one to pass on; may be repeated", collect)
    .option("--timeout <time>", "maximum running time of one attempt, such as 10m", readDuration)
    .option("--retry <times>", "how many times to try again if it fails", readWhole(0, 99));
}

function toStart(
  words: readonly string[],
  options: AddOptions,
  cli: CliContext,
): Pick<InputOf<"schedule_add">, "start" | "input"> {
  const { start, input, cwd, env, timeout, retry } = options;
  if (words.length > 0 === (start !== undefined)) {
    throw new LonghaulError("invalid_input", "Say what to run: either a command after --, or --start with --input.");
  }
  const limits = { timeout_ms: timeout, attempts: retry === undefined ? undefined : retry + 1 };
  if (start !== undefined) return { start, input: { ...readInput(input), ...limits } };
  return {
    input: {
      ...(words.length === 1 ? { command: words[0] } : { argv: words }),
      ...limits,
      cwd: resolve(cwd ?? ""),
      env: env === undefined ? undefined : toVariables(env, cli),
    },
  };
}

function readInput(text = "{}"): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Told below.
  }
  throw new LonghaulError(
    "invalid_input",
    `--input must be a JSON object such as '{"urls":["https://example.com"]}', got "${text.slice(0, 60)}".`,
  );
}

export const list = defineCommand<object>({
  run: async ({ client, screen }, options) => {
    const answer = await client.call("schedule_list", {});
    if (options.json === true) return screen.printJson(answer);
    if (answer.schedules.length === 0) return screen.note("No schedules: `longhaul schedule add` makes one.");
    const { style, terminal } = screen;
    const columns: readonly Column<ScheduleView>[] = [
      { title: "NAME", text: ({ name }) => escapeControls(name), paint: (_schedule, text) => style.bold(text) },
      { title: "STATE", text: ({ state }) => state },
      { title: "PLAN", text: planText },
      { title: "NEXT", text: nextText },
      { title: "LAST", text: ({ last }) => (last === undefined ? "" : runText(last)) },
      { title: "RUNS", text: ({ counts }) => String(counts.runs) },
      { title: "COMMAND", text: ({ kind, summary }) => escapeControls(summary ?? kind) },
    ];
    screen.print(formatTable(answer.schedules, columns, { width: terminal.columns(), paintTitle: style.dim }));
  },
});

const named = (command: Command): void => {
  command.argument("<schedule>", "its name or id");
};

export const show = defineCommand<object, [schedule: string]>({
  describe: named,
  run: async ({ client, screen }, options, schedule) => {
    const answer = await client.call("schedule_get", { schedule });
    if (options.json === true) screen.printJson(answer);
    else screen.print(describeSchedule(answer, screen.style));
  },
});

export const pause = defineCommand<object, [schedule: string]>({
  describe: named,
  run: async ({ client, screen }, options, schedule) => {
    const answer = await client.call("schedule_pause", { schedule });
    if (options.json === true) screen.printJson(answer);
    else screen.print(`${scheduleLabel(answer)} is paused; times that pass meanwhile are not made up for.`);
  },
});

export const resume = defineCommand<object, [schedule: string]>({
  describe: named,
  run: async ({ client, screen }, options, schedule) => {
    const answer = await client.call("schedule_resume", { schedule });
    if (options.json === true) screen.printJson(answer);
    else screen.print(`${scheduleLabel(answer)} goes on, next ${nextText(answer)}.`);
  },
});

export const run = defineCommand<{ readonly detach?: true }, [schedule: string]>({
  describe: (command) => {
    named(command);
    command
      .option("-d, --detach", "print the id and do not wait")
      .addHelpText("after", "\nCtrl-C leaves the job running. The plan stays as it is.");
  },
  run: async (cli, { detach, json }, schedule) => {
    const job = await cli.client.call("schedule_run", { schedule, idempotency_key: randomUUID() });
    return followJob(cli, job, { detach, json, output: {} });
  },
});

export const rm = defineCommand<object, [schedule: string]>({
  describe: named,
  run: async ({ client, screen }, options, schedule) => {
    const answer = await client.call("schedule_delete", { schedule });
    if (options.json === true) screen.printJson(answer);
    else screen.print(`${scheduleLabel(answer)} is deleted; jobs that it has started are left as they are.`);
  },
});

function scheduleLabel({ name }: ScheduleView): string {
  return `Schedule ${escapeControls(name)}`;
}
