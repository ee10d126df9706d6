import { createInterface } from "node:readline/promises";
import type { Json } from "../../../job/json.ts";
import type { Question } from "../../../job/question.ts";
import { escapeControls } from "../../../text/controls.ts";
import { toFieldValue } from "../options/option-values.ts";

type Field = NonNullable<Question["form"]>["properties"][string];

/** Puts a question to whoever is at this terminal, field by field. Undefined if they leave it open (Ctrl-D) or the signal comes first. */
export async function askHere(
  { message, form }: Question,
  signal: AbortSignal,
): Promise<Record<string, Json> | undefined> {
  // The terminal edits the line, and Ctrl-C ends or leaves as anywhere else.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal.addEventListener("abort", stop, { once: true });
  lines.once("close", stop);
  const read = (prompt: string): Promise<string> => lines.question(escapeLines(prompt), { signal: controller.signal });
  try {
    process.stderr.write(`? ${escapeLines(message)}\n`);
    if (form === undefined) return { text: await read("> ") };
    const content: Record<string, Json> = {};
    for (const [name, field] of Object.entries(form.properties)) {
      const value = await askField(name, field, form.required?.includes(name) === true, read);
      if (value !== undefined) content[name] = value;
    }
    return content;
  } catch (error) {
    if (controller.signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    lines.close();
  }
}

/** Asks until there is a value that the field may have; an empty line stands for the default, or for none. */
async function askField(
  name: string,
  field: Field,
  isRequired: boolean,
  read: (prompt: string) => Promise<string>,
): Promise<Json | undefined> {
  const options = optionsOf(field);
  const fallback = field["default"] as Json | undefined;
  for (;;) {
    const line = (await read(promptOf(name, field, options))).trim();
    if (line === "" && fallback !== undefined) return fallback;
    if (line === "" && !isRequired) return undefined;
    const chosen = options[Number(line) - 1] ?? line;
    const isListed = options.length === 0 || field.type === "array" || options.includes(chosen);
    if (line !== "" && isListed) return toFieldValue(chosen, field.type);
  }
}

function promptOf(
  name: string,
  { title = name, description, type, ...rest }: Field,
  options: readonly string[],
): string {
  const listed = options.map((option, index) => `  ${index + 1}) ${option}\n`).join("");
  const hint = type === "boolean" ? " (yes/no)" : type === "array" ? " (with commas between)" : "";
  const fallback = rest["default"] === undefined ? "" : ` [${JSON.stringify(rest["default"])}]`;
  return `${listed}${title}${description === undefined ? "" : `, ${description}`}${hint}${fallback}: `;
}

/** The texts that a field may have, if it may have only some. */
function optionsOf(field: Field): string[] {
  if (field.enum !== undefined) return field.enum;
  const choices = field["oneOf"] ?? [];
  const values = Array.isArray(choices) ? choices.map((choice: { const?: unknown } | null) => choice?.const) : [];
  return values.filter((value) => typeof value === "string");
}

/** The text of others, without what a terminal would obey. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n");
}
