import { z } from "zod";
import { LonghaulError } from "./error.ts";
import { jsonSchema } from "./json.ts";

/** One field of a form: the flat subset of JSON Schema that MCP elicitation allows. */
const fieldSchema = z.looseObject({
  type: z.enum(["string", "number", "integer", "boolean", "array"]),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
});

export const questionSchema = z.object({
  message: z.string().min(1).max(8_000),
  form: z
    .object({
      type: z.literal("object"),
      properties: z.record(z.string(), fieldSchema),
      required: z.array(z.string()).optional(),
    })
    .optional(),
});

/** What a job asks: a sentence and, where the answer has parts, a form. */
export type Question = z.infer<typeof questionSchema>;
type Field = z.infer<typeof fieldSchema>;

export const answerSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("accept"), content: z.record(z.string(), jsonSchema).default({}) }),
  z.object({ action: z.literal("decline") }),
  z.object({ action: z.literal("cancel") }),
]);

export type Answer = z.infer<typeof answerSchema>;

export interface AskedQuestion {
  readonly key: string;
  readonly question: Question;
  readonly askedAt: number;
  readonly answer?: Answer;
  readonly answeredAt?: number;
}

/** Refuses an accepted answer that does not fit the question's form; declining is always allowed. */
export function checkAnswer(question: Question, answer: Answer): void {
  if (answer.action !== "accept" || question.form === undefined) return;
  for (const name of question.form.required ?? []) {
    if (!Object.hasOwn(answer.content, name)) refuse(name, "is required");
  }
  for (const [name, value] of Object.entries(answer.content)) {
    const field = Object.hasOwn(question.form.properties, name) ? question.form.properties[name] : undefined;
    if (field === undefined) {
      const known = Object.keys(question.form.properties).join(", ");
      refuse(name, `is not asked for: the fields are ${known}`);
    } else {
      const expected = mismatch(field, value);
      if (expected !== undefined) refuse(name, `must be ${expected}, got ${JSON.stringify(value)}`);
    }
  }
}

/** What the field wanted, or undefined when the value fits. */
function mismatch(field: Field, value: unknown): string | undefined {
  if (field.enum !== undefined) {
    const isListed = typeof value === "string" && field.enum.includes(value);
    return isListed ? undefined : `one of ${field.enum.join(", ")}`;
  }
  if (field.type === "array") return Array.isArray(value) ? undefined : "a list";
  if (field.type === "integer") return Number.isInteger(value) ? undefined : "a whole number";
  const article = `a ${field.type}`;
  return typeof value === field.type ? undefined : article;
}

function refuse(name: string, problem: string): never {
  throw new LonghaulError("invalid_input", `The answer's field "${name}" ${problem}.`, {
    details: { field: name },
  });
}
