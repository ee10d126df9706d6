import { LonghaulError } from "../../../job/error.ts";
import type { Json } from "../../../job/json.ts";
import type { Answer } from "../../../job/question.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { defineCommand, type CliCommand } from "../command.ts";
import { toFieldValue } from "../options/option-values.ts";
import { addTargetOptions, toTarget, type TargetOptions } from "../options/filter-options.ts";
import { showChanged } from "../show/changed-jobs.ts";
import { isFinished, jobLabel, outcomeText, stateText } from "../show/job-text.ts";
import { countText } from "../../../text/count-text.ts";
import { sayStatus } from "../../../job/status-words.ts";

export const send = defineCommand<{ newline: boolean; eof?: true }, [id: string, words: string[]]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .argument("[text...]", "what to send; words are joined by spaces")
      .option("--no-newline", "do not add a line end to the text")
      .option("--eof", "end the input, after the text if there is any");
  },
  run: async ({ client, screen }, { newline, eof, json }, id, words) => {
    if (words.length === 0 && eof !== true) refuse(`Say what to send: longhaul send ${id} TEXT, or --eof.`);
    const text = words.length === 0 ? undefined : words.join(" ");
    const receipt = await client.call("job_send", { id, text, newline, end: eof === true });
    if (json === true) screen.printJson(receipt);
    else screen.note(`Sent ${countText(receipt.sent, "byte")}${eof === true ? " and ended its input" : ""}.`);
  },
});

interface AnswerOptions {
  readonly decline?: true;
  readonly text?: string;
}

export type Asked = NonNullable<JobView["questions"]>[number];

export const answer = defineCommand<AnswerOptions, [id: string, words: string[]]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .argument("[words...]", "the answer; or field=value…, after the question's key if there are several")
      .option("--text <text>", "the answer to a question that asks for one thing, as it stands")
      .option("--decline", "decline to answer");
  },
  run: async ({ client, screen }, options, id, words) => {
    const { questions = [] } = await client.call("job_get", { id });
    const { key, fields, text } = readWords(words, questions);
    const asked = questions.find((question) => key === undefined || question.key === key);
    const given = toAnswer(asked, fields, { text, ...options });
    const job = await client.call("job_answer", { id, answer: given, key });
    if (options.json === true) screen.printJson(job);
    else screen.print(`${jobLabel(job)}  answered; now ${outcomeText(job)}`);
  },
});

/** `yes` alone is the answer itself, unless it is the key of a question; `name=value` is a field. */
function readWords(
  words: readonly string[],
  questions: readonly Asked[],
): { readonly key?: string; readonly fields: readonly string[]; readonly text?: string } {
  const [first, ...rest] = words;
  if (first === undefined || first.includes("=")) return { fields: words };
  const [only, another] = questions;
  const isKey = questions.some(({ key }) => key === first);
  const isAnswer = !isKey && only !== undefined && another === undefined && fieldNames(only).length <= 1;
  return isAnswer ? { fields: [], text: words.join(" ") } : { key: first, fields: rest };
}

export function toAnswer(
  asked: Asked | undefined,
  fields: readonly string[],
  { decline, text }: AnswerOptions,
): Answer {
  const ways = [decline === true, text !== undefined, fields.length > 0].filter(Boolean).length;
  if (ways > 1) refuse("Give only one of fields, --text and --decline.");
  if (decline === true) return { action: "decline" };
  if (text !== undefined) {
    const name = onlyField(asked);
    return { action: "accept", content: { [name]: toFieldValue(text, asked?.form?.properties[name]?.type) } };
  }
  if (fields.length === 0 && asked !== undefined && fieldNames(asked).length > 0) {
    refuse(
      `"${asked.message}" wants ${fieldNames(asked)
        .map((name) => `${name}=…`)
        .join(" ")}`,
    );
  }
  return { action: "accept", content: Object.fromEntries(fields.map((field) => toField(field, asked))) };
}

export function fieldNames(asked: Asked | undefined): string[] {
  return Object.keys(asked?.form?.properties ?? {});
}

function onlyField(asked: Asked | undefined): string {
  const names = fieldNames(asked);
  if (names.length > 1) refuse(`The question wants several fields: ${names.map((name) => `${name}=…`).join(" ")}`);
  return names[0] ?? "text";
}

/** The form says what a value is: `count=3` is a number where a number is asked for, else a text. */
function toField(field: string, asked: Asked | undefined): [string, Json] {
  const at = field.indexOf("=");
  if (at < 1) refuse(`Expected field=value, got "${field}".`);
  const [name, value] = [field.slice(0, at), field.slice(at + 1)];
  return [name, toFieldValue(value, asked?.form?.properties[name]?.type)];
}

function refuse(message: string): never {
  throw new LonghaulError("invalid_input", message);
}

export const cancel = defineCommand<TargetOptions & { reason?: string }, [ids: string[]]>({
  describe: (command) => {
    addTargetOptions(command.option("--reason <text>", "the reason, kept with the job"));
  },
  run: async ({ client, screen }, options, ids) => {
    const { reason } = options;
    const changed = await client.call("job_cancel", {
      ...toTarget(ids, options),
      reason,
    });
    return showChanged(changed, { none: "No matching job is active.", describe }, screen, options.json);
  },
});

function describe(job: JobView): string {
  if (job.cancel_requested === true) return "is being cancelled: its processes have been told to end";
  if (job.state === "cancelled") return "was cancelled";
  return isFinished(job) ? `${sayStatus(job.state)} already` : sayStatus(job.state);
}

function describeRetry(job: JobView): string {
  return `${stateText(job)}, attempt ${job.attempt}`;
}

export const retry = defineCommand<TargetOptions, [ids: string[]]>({
  describe: (command) => {
    addTargetOptions(command);
  },
  run: async ({ client, screen }, options, ids) => {
    const changed = await client.call("job_retry", toTarget(ids, options));
    const none = "No matching job has failed, timed out or been cancelled.";
    return showChanged(changed, { none, describe: describeRetry }, screen, options.json);
  },
});

export const prune = defineCommand<object>({
  run: async ({ client, screen }, options) => {
    const changed = await client.call("jobs_prune", {});
    if (options.json === true) screen.printJson(changed);
    else {
      const pages = changed.removed_pages ?? 0;
      const alsoPages = pages === 0 ? "" : ` and ${countText(pages, "page")} of the design library`;
      screen.print(`Removed ${countText(changed.removed, "job")}${alsoPages}.`);
    }
  },
});

export const pause = defineKindCommand("kind_pause");

export const resume = defineKindCommand("kind_resume");

/** A command that calls an operation on a kind of job and tells which kinds are paused then. */
function defineKindCommand(operation: "kind_pause" | "kind_resume"): CliCommand {
  return defineCommand<object, [kind: string]>({
    describe: (command) => {
      command.argument("<kind>", "such as shell");
    },
    run: async ({ client, screen }, options, kind) => {
      const changed = await client.call(operation, { kind });
      if (options.json === true) screen.printJson(changed);
      else
        screen.print(
          changed.paused_kinds.length === 0 ? "No kind is paused." : `Paused: ${changed.paused_kinds.join(", ")}`,
        );
    },
  });
}
