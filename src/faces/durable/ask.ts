import { z } from "zod";
import type { Json } from "../../job/json.ts";
import type { JobContext } from "../../job/kind.ts";
import type { Question } from "../../job/question.ts";
import { schemaToJson } from "../../job/schema-to-json.ts";

/** What the run of a durable tool may do. */
export interface DurableContext<State = Json> extends Omit<JobContext<State>, "ask"> {
  readonly ask: Ask;
}

export interface Ask {
  /** Asks for what the fields say, and returns it; undefined if whoever was asked declines. Survives a restart. */
  <Fields extends z.ZodRawShape>(
    message: string,
    fields: Fields,
    key?: string,
  ): Promise<z.output<z.ZodObject<Fields>> | undefined>;
  (...args: Parameters<JobContext["ask"]>): ReturnType<JobContext["ask"]>;
}

/** The same context, whose questions may be asked with the fields of a schema. */
export function toDurableContext<State>(context: JobContext<State>): DurableContext<State> {
  const ask = async (first: Question | string, second?: unknown, third?: unknown): Promise<unknown> => {
    if (typeof first !== "string") return context.ask(first, second as string | undefined, third as () => void);
    const fields = z.object(second as z.ZodRawShape);
    const answer = await context.ask({ message: first, form: toForm(fields) }, third as string | undefined);
    return answer.action === "accept" ? fields.parse(answer.content) : undefined;
  };
  return Object.create(context, { ask: { value: ask, enumerable: true } }) as DurableContext<State>;
}

/** What forms of MCP take: one flat object. */
function toForm(fields: z.ZodObject): NonNullable<Question["form"]> {
  const { properties, required } = schemaToJson(fields, "input") as Pick<
    NonNullable<Question["form"]>,
    "properties" | "required"
  >;
  return { type: "object", properties, ...(required === undefined ? {} : { required }) };
}
