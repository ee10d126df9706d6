import { readFileSync } from "node:fs";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { Question } from "../../../job/question.ts";
import { tryParseJson } from "../../../text/parse-json.ts";

export interface FormOptions {
  readonly yesNo?: true;
  readonly text?: true;
  readonly choice?: string[];
  readonly field?: string[];
  readonly form?: string;
}

type Form = NonNullable<Question["form"]>;
type Field = Form["properties"][string];

/** What the answer to a question consists of. Without a word about it, it is only a yes or a no. */
export function readForm({ yesNo, text, choice, field, form }: FormOptions): Form | undefined {
  const given = [yesNo, text, choice, field, form].filter((option) => option !== undefined);
  if (given.length > 1) refuse("Give only one of --yes-no, --text, --choice, --field and --form.");
  if (yesNo === true) return oneField({ type: "boolean" });
  if (text === true) return oneField({ type: "string" });
  if (choice !== undefined) return oneField({ type: "string", enum: choice });
  if (field !== undefined) return toForm(field.map(readField));
  return form === undefined ? undefined : readJsonForm(form);
}

function oneField(field: Field): Form {
  return toForm([{ name: "answer", field, isRequired: true }]);
}

interface NamedField {
  readonly name: string;
  readonly field: Field;
  readonly isRequired: boolean;
}

function toForm(fields: readonly NamedField[]): Form {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, field }) => [name, field])),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

const types: Readonly<Record<string, Field["type"]>> = {
  text: "string",
  number: "number",
  whole: "integer",
  "yes-no": "boolean",
  list: "array",
};

/** `version`, `note?`, `count=whole`, `where=staging|production`. */
function readField(text: string): NamedField {
  const [, name, mark, type = "text"] = /^([A-Za-z_][\w-]*)(\??)(?:=(.+))?$/.exec(text) ?? [];
  const known = Object.hasOwn(types, type) ? types[type] : undefined;
  const choices = type.split("|");
  if (name === undefined || (known === undefined && (choices.length < 2 || choices.includes("")))) {
    refuse(
      `--field must be NAME or NAME=TYPE, with a "?" after the name if it may be left out, and one of the types ${Object.keys(types).join(", ")} or choices such as a|b, got "${text}".`,
    );
  }
  const field: Field = known === undefined ? { type: "string", enum: choices } : { type: known };
  return { name, field, isRequired: mark === "" };
}

function readJsonForm(given: string): Form {
  const form = tryParseJson(given.startsWith("@") ? readFormFile(given.slice(1)) : given);
  if (typeof form === "object" && form !== null && "properties" in form) return { type: "object", ...form } as Form;
  return refuse(
    `--form must be a JSON Schema such as {"type": "object", "properties": {"version": {"type": "string"}}}, or @FILE with one.`,
  );
}

function readFormFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return refuse(`The form in ${path} cannot be read: ${messageOf(error)}.`);
  }
}

function refuse(message: string): never {
  throw new LonghaulError("invalid_input", message);
}
