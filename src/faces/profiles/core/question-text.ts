import { assertNever } from "../../../job/error.ts";
import type { Json } from "../../../job/json.ts";
import type { Question } from "../../../job/question.ts";
import { shorten } from "../../mcp/tasks/status-message.ts";
import { fence } from "../../mcp/tools/clean-text.ts";

type Form = NonNullable<Question["form"]>;
type Field = Form["properties"][string];

/** A question as operations show it. */
export type AskedView = Question & { readonly key: string };

const longestOptions = 300;

/** What a job asks, set apart as the words of others. */
export function questionText(asked: readonly AskedView[]): string {
  const texts = asked.map(({ message, form }) => {
    const fields = Object.entries(form?.properties ?? {}).flatMap(([name, { title, description }]) => {
      const told = [title, description].filter((part) => part !== undefined && part !== "");
      return told.length === 0 ? [] : [`- ${name}: ${told.join(", ")}`];
    });
    return [message, ...fields].join("\n");
  });
  return fence(texts.join("\n\n"), asked.length === 1 ? "Question" : "Questions");
}

/** The call that answers the first of the questions, with an answer that its form takes, and what else there is to choose. */
export function answerCall(id: string, asked: readonly AskedView[]): string {
  const [first] = asked;
  const { form } = first ?? {};
  const content = form === undefined ? {} : { content: exampleContent(form) };
  const key = asked.length === 1 ? {} : { key: first?.key };
  const call = `job_send ${JSON.stringify({ id, ...key, answer: { action: "accept", ...content } })}`;
  const options = Object.entries(form?.properties ?? {}).flatMap(([name, field]) => {
    const listed = optionsOf(field);
    return listed.length === 0 ? [] : [`${name}: ${listed.map((option) => JSON.stringify(option)).join(" | ")}`];
  });
  const choices = [...options, 'action: "accept" | "decline" | "cancel"'];
  return `ask the person, then ${call} (${shorten(choices.join("; "), longestOptions)})`;
}

/** Values that the form takes: of every field one that fits it. */
export function exampleContent({ properties }: Form): Record<string, Json> {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));
}

function exampleOf(field: Field): Json {
  const [option] = optionsOf(field);
  switch (field.type) {
    case "boolean":
      return true;
    case "integer":
      return Math.ceil(withinBounds(field));
    case "number":
      return withinBounds(field);
    case "array":
      return optionsOf(field).slice(0, Math.max(1, numberAt(field, "minItems") ?? 1));
    case "string":
      return option ?? exampleText(field);
    default:
      return assertNever(field.type);
  }
}

/** What a field lists to choose from, in the forms that elicitation knows. */
function optionsOf(field: Record<string, unknown>): string[] {
  const listed = field["enum"] ?? field["oneOf"] ?? field["anyOf"];
  if (Array.isArray(listed)) {
    return listed
      .map((option: unknown) => (isRecord(option) ? option["const"] : option))
      .filter((option): option is string => typeof option === "string");
  }
  return isRecord(field["items"]) ? optionsOf(field["items"]) : [];
}

const exampleByFormat: Readonly<Record<string, string>> = {
  email: "ada@example.com",
  uri: "https://example.com/",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
};

function exampleText(field: Field): string {
  const format = field["format"];
  const known = typeof format === "string" ? exampleByFormat[format] : undefined;
  const text = "their answer".padEnd(numberAt(field, "minLength") ?? 0, ".");
  return known ?? text.slice(0, numberAt(field, "maxLength") ?? text.length);
}

function withinBounds(field: Field): number {
  return Math.min(numberAt(field, "maximum") ?? Infinity, Math.max(numberAt(field, "minimum") ?? 1, 1));
}

function numberAt(field: Field, name: string): number | undefined {
  const value = field[name];
  return typeof value === "number" ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
