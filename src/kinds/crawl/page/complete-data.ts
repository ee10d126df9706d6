import type { CrawlRequest } from "../contract.ts";
import { defined } from "../../../job/defined.ts";
import { messageOf } from "../../../job/failure.ts";
import { isRecord } from "../../../job/is-record.ts";
import { parseInput } from "../../../job/issue.ts";
import type { Json } from "../../../job/json.ts";
import type { ReadData } from "../../../job/read-data.ts";
import type { JsonSchema } from "../../../text/short-schema.ts";
import { readShape, type DataShape } from "../parse/data-shape.ts";
import { fillShape, judgeData, type ExtractedData } from "../parse/fill-shape.ts";

/** What a model may be asked for. */
export interface DataWish {
  readonly shape: DataShape | undefined;
  readonly prompt: string | undefined;
  /** Fields that have selectors: what these find is kept. */
  readonly selected: readonly string[];
}

export type DataRequest = Pick<
  Extract<CrawlRequest, { action: "extract" }>,
  "schema" | "selectors" | "list_selector" | "prompt"
>;

/** Undefined where rules alone are meant. */
export function toWish({ schema, selectors = {}, list_selector: list, prompt }: DataRequest): DataWish | undefined {
  if (list !== undefined || (schema === undefined && prompt === undefined)) return undefined;
  return { shape: schema === undefined ? undefined : readShape(schema), prompt, selected: Object.keys(selectors) };
}

export interface CompletedData extends ExtractedData {
  /** `rules`: what the page says for machines, and selectors; `model`: a language model, at least for a part. */
  readonly method: "rules" | "model";
  readonly model?: string;
  readonly tokens?: number;
  readonly model_error?: string;
}

export interface DataSource extends ExtractedData {
  readonly url: string;
  readonly markdown: string;
}

/**
 * Asks the model for the fields that rules have not found; with a prompt for all but those that were selected, because only the
 * model understands it. What it says must fit the schema. If it says nothing of use, what the rules have found stays.
 */
export async function completeData(
  { url, markdown: text, data = null, missing, is_valid }: DataSource,
  { shape, prompt, selected }: DataWish,
  ask: ReadData,
  signal: AbortSignal,
): Promise<CompletedData> {
  const byRules: CompletedData = { data, method: "rules", missing, is_valid };
  const schema = findOpen(data, { shape, prompt, selected });
  if (schema === undefined) return byRules;
  const asked = readShape(schema);
  let taken: Json | undefined;
  const take = (answer: Json): string | undefined => {
    const fitting = fillShape(asked, [answer]);
    if (!isEmpty(fitting) && asked.fits(fitting)) taken = fitting;
    return findProblem(answer, fitting, asked);
  };
  try {
    const { problem, ...spent } = await ask({ url, text, schema, prompt, take }, signal);
    if (taken === undefined) return { ...byRules, ...spent, ...defined({ model_error: problem }) };
    const merged = isRecord(taken) && isRecord(data) ? { ...data, ...taken, ...pick(data, selected) } : taken;
    return { ...(shape === undefined ? { data: merged } : judgeData(merged, shape)), method: "model", ...spent };
  } catch (error) {
    signal.throwIfAborted();
    return { ...byRules, model_error: messageOf(error) };
  }
}

/** The schema of what is still to be found. Nothing in it is required: what a page does not say must not be made up. */
function findOpen(data: Json, { shape, prompt, selected }: DataWish): JsonSchema | undefined {
  if (shape === undefined) return { type: "object" };
  if (shape.kind !== "object") return prompt === undefined && !isEmpty(data) ? undefined : shape.schema;
  const known = pick(data, prompt === undefined ? Object.keys(shape.fields) : selected);
  const open = Object.entries(shape.fields).filter(([name]) => !Object.hasOwn(known, name));
  const { required: _required, ...schema } = shape.schema;
  if (open.length === 0) return undefined;
  return { ...schema, properties: Object.fromEntries(open.map(([name, field]) => [name, field.schema])) };
}

/** What of an answer had to be left out, in a sentence for the model. */
function findProblem(answer: Json, fitting: Json | undefined, shape: DataShape): string | undefined {
  const isLost = ([name, value]: [string, Json]): boolean =>
    value !== null && shape.kind === "object" && Object.hasOwn(shape.fields, name) && !(name in Object(fitting));
  if (
    fitting !== undefined &&
    (shape.kind !== "object" || (isRecord(answer) && !Object.entries(answer).some(isLost)))
  ) {
    return undefined;
  }
  try {
    parseInput(shape.validator(), answer, "The data");
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

export function isEmpty(value: Json | undefined): value is undefined {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function pick(value: Json, names: readonly string[]): { [name: string]: Json } {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}
