import { resolve } from "node:path";
import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { placeSchema } from "../job/place.ts";
import { readVariable } from "./read-variable.ts";

const slots = z.int().min(0).max(1_000);

/** `worker` in the configuration file: which jobs this process runs, where machines share a store. */
export const workerSchema = z.strictObject({
  kinds: z
    .array(z.string().min(1))
    .optional()
    .describe("The only kinds that run here; all unless given, none if empty."),
  concurrency: z
    .union([slots, z.record(z.string(), slots)])
    .optional()
    .describe("Jobs of each kind at the same time: one number, or one for some kinds."),
  labels: z.array(placeSchema).max(20).default([]).describe("Jobs that were pinned to one of these may run here."),
  drain_s: z
    .number()
    .min(0)
    .max(3_600)
    .default(10)
    .describe("How long a process that is told to stop lets jobs come to their end; commands are left running."),
});

export type WorkerConfig = z.output<typeof workerSchema> & {
  /** Modules with kinds of one's own that were named among the kinds. */
  readonly modules?: readonly string[];
};

/** As they are typed: words with commas between them. */
export interface WorkerFlags {
  readonly kinds?: string;
  readonly concurrency?: string;
  readonly labels?: string;
}

/** Flags, then variables, then the file. */
export function readWorker(
  file: z.output<typeof workerSchema>,
  flags: WorkerFlags,
  env: NodeJS.ProcessEnv,
): WorkerConfig {
  const kinds = flags.kinds ?? readVariable(env, "LONGHAUL_KINDS");
  const labels = flags.labels ?? readVariable(env, "LONGHAUL_LABELS");
  const drain = readVariable(env, "LONGHAUL_DRAIN_S");
  const concurrency = flags.concurrency ?? readVariable(env, "LONGHAUL_CONCURRENCY");
  return {
    ...file,
    ...(kinds === undefined ? {} : toKinds(kinds)),
    ...(drain === undefined ? {} : { drain_s: toDrain(drain) }),
    ...(labels === undefined ? {} : { labels: toLabels(toWords(labels)) }),
    ...(concurrency === undefined ? {} : { concurrency: toConcurrency(concurrency) }),
  };
}

/** What has a path or ends like a file of code is a module; the others are names, and without any all kinds run. */
function toKinds(text: string): Pick<WorkerConfig, "kinds" | "modules"> {
  const words = toWords(text);
  const modules = words.filter(isModule).map((word) => resolve(word));
  const names = words.filter((word) => !isModule(word));
  if (names.length === 0) return { modules };
  return { modules, kinds: text.trim() === "none" ? [] : names };
}

function isModule(word: string): boolean {
  return word.includes("/") || /\.[cm]?[jt]s$/.test(word);
}

function toWords(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function toLabels(words: readonly string[]): string[] {
  const odd = words.find((word) => !placeSchema.safeParse(word).success);
  if (odd === undefined) return [...words];
  throw new LonghaulError(
    "invalid_input",
    `A label must be 1 to 63 lower-case letters, digits, dots, dashes or underscores, got "${odd}".`,
  );
}

function toDrain(text: string): number {
  const seconds = Number(text);
  if (seconds >= 0 && seconds <= 3_600) return seconds;
  throw new LonghaulError(
    "invalid_input",
    `LONGHAUL_DRAIN_S must be a number of seconds from 0 to 3600, got "${text}".`,
  );
}

function toConcurrency(text: string): Exclude<WorkerConfig["concurrency"], undefined> {
  const words = toWords(text);
  const parts = words.map((word) => /^(?:([a-z][a-z0-9_-]*)=)?(\d{1,4})$/.exec(word));
  const isOne = parts.length === 1 && parts[0] !== null && parts[0]?.[1] === undefined;
  const isValid = parts.length > 0 && parts.every((part) => part !== null && Number(part[2]) <= 1_000);
  if (isValid && isOne) return Number(parts[0]?.[2]);
  if (isValid && parts.every((part) => part?.[1] !== undefined)) {
    return Object.fromEntries(parts.map((part) => [part?.[1] ?? "", Number(part?.[2])]));
  }
  throw new LonghaulError(
    "invalid_input",
    `concurrency must be a whole number from 0 to 1000, or such numbers by kind (shell=8,page=2), got "${text}".`,
  );
}
