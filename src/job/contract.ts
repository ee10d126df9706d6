import { z } from "zod";
import type { Json } from "./json.ts";

/** A way to start jobs of a kind, offered by every face. */
export interface StartVerb<Name extends string = string, Input extends z.ZodObject = z.ZodObject> {
  /** As programs and models call it, such as `run_command`. */
  readonly name: Name;
  readonly description: string;
  /** What it takes, besides what every start takes. */
  readonly input: Input;
  /** Goes into the input of each job that it starts: tells the verbs of one kind apart. */
  readonly adds?: Readonly<Record<string, Json>>;
  /** Where HTTP offers it: `/v1/start/NAME` unless given. */
  readonly path?: string;
  /** What a language model is shown of it. */
  readonly tool?: ToolFacts;
}

export interface ToolFacts {
  /** Where a model needs other words than a program. */
  readonly description?: string;
  /** The fields for models, of the verb and of every start; the others are for programs. All of the verb's own unless given. */
  readonly fields?: readonly string[];
  /** Fields that a model must give, though a program need not. */
  readonly required?: readonly string[];
  /** It changes nothing anywhere. */
  readonly isHarmless?: boolean;
}

/** What the rest of the product may know of a kind: every face is made from it. */
export interface Contract<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
  Verbs extends readonly StartVerb[] = readonly StartVerb[],
> {
  readonly name: Name;
  /** The one form in which an input is sent, stored and shown, in snake_case. */
  readonly input: Input;
  readonly result: Result;
  /** Every way to start it; models are offered the first. */
  readonly verbs: Verbs;
  /** What a job runs, in one line. */
  summaryOf(input: z.input<Input>): string | undefined;
}

export function defineContract<
  const Name extends string,
  Input extends z.ZodType,
  Result extends z.ZodType,
  const Verbs extends readonly StartVerb[],
>(contract: Contract<Name, Input, Result, Verbs>): Contract<Name, Input, Result, Verbs> {
  return contract;
}

/** How a kind that says nothing of it is started. */
export function defaultVerbs(kind: string, input: z.ZodType): readonly StartVerb[] {
  if (!(input instanceof z.ZodObject)) return [];
  return [{ name: `run_${kind.replaceAll("-", "_")}`, description: `Start a job of the kind ${kind}.`, input }];
}
