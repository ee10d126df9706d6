import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { Json } from "../../../job/json.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { defineCommand } from "../command.ts";
import { jobLabel, outcomeText } from "../job-text.ts";

interface AnswerOptions {
  readonly decline?: true;
  readonly text?: string;
}

type Asked = NonNullable<JobView["questions"]>[number];

export const answer = defineCommand<AnswerOptions, [id: string, words: string[]]>({
  describe: (command) => {
    command
      .argument("<id>", "id, end of an id, or name")
      .argument("[words...]", "the question's key, if there are several, then field=value…")
      .option("--text <text>", "the answer to a question that wants just one text")
      .option("--decline", "decline to answer");
  },
  run: async ({ client, screen }, options, id, words) => {
    const [first] = words;
    const key = first === undefined || first.includes("=") ? undefined : first;
    const fields = key === undefined ? words : words.slice(1);
    const { questions = [] } = await client.call<JobView>("job_get", { id });
    const asked = questions.find((question) => key === undefined || question.key === key);
    const given = toAnswer(asked, fields, options);
    const job = await client.call<JobView>("job_answer", { id, answer: given, ...defined({ key }) });
    if (options.json === true) screen.printJson(job);
    else screen.print(`${jobLabel(job)}  answered; now ${outcomeText(job)}`);
  },
});

function toAnswer(asked: Asked | undefined, fields: readonly string[], { decline, text }: AnswerOptions): Json {
  const ways = [decline === true, text !== undefined, fields.length > 0].filter(Boolean).length;
  if (ways > 1) refuse("Give fields, --text or --decline, not several of them.");
  if (decline === true) return { action: "decline" };
  if (text !== undefined) return { action: "accept", content: { [onlyField(asked)]: text } };
  if (fields.length === 0 && asked !== undefined && fieldNames(asked).length > 0) {
    refuse(
      `"${asked.message}" wants ${fieldNames(asked)
        .map((name) => `${name}=…`)
        .join(" ")}`,
    );
  }
  return { action: "accept", content: Object.fromEntries(fields.map((field) => toField(field, asked))) };
}

function fieldNames(asked: Asked | undefined): string[] {
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
  const type = asked?.form?.properties[name]?.type;
  if (type === "number" || type === "integer") return [name, Number.isNaN(Number(value)) ? value : Number(value)];
  if (type === "boolean")
    return [name, value === "true" || value === "yes" ? true : value === "false" || value === "no" ? false : value];
  return [name, type === "array" ? value.split(",") : value];
}

function refuse(message: string): never {
  throw new LonghaulError("invalid_input", message);
}
