import { InvalidArgumentError, type Command } from "commander";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import { jobStatuses } from "../../../job/state.ts";

export interface FilterOptions {
  readonly filter?: string;
  readonly state?: string[];
  readonly kind?: string;
  readonly batch?: string;
  readonly schedule?: string;
  readonly tag?: string;
  readonly name?: string;
  readonly text?: string;
}

/** The filter that lists jobs is also the target of an action on all of them. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--filter <words>", 'all of it in one text: "state:failed kind:shell since:2h refused"')
    .option("--state <state,…>", "in one of these states", readStates)
    .option("--kind <kind>", "of this kind")
    .option("--batch <batch>", "of this batch")
    .option("--schedule <schedule>", "started by this schedule")
    .option("--tag <tag>", "with this tag")
    .option("--name <name>", "with this name")
    .option("--text <words>", "with these words in the name, the command or the last error");
}

export function toFilter(options: FilterOptions): Record<string, unknown> {
  const { filter: q, state, kind, batch, schedule, tag, name, text } = options;
  return defined({ q, state, kind, batch, schedule, tag, name, text });
}

const activeStates: readonly string[] = ["queued", "running", "waiting"];

function readStates(text: string): string[] {
  const known: readonly string[] = jobStatuses;
  const states = text.split(",").flatMap((word) => (word === "active" ? activeStates : [word.replace("-", "_")]));
  const unknown = states.find((state) => !known.includes(state));
  if (unknown === undefined) return states;
  throw new InvalidArgumentError(`Expected ${known.join(", ")} or active, got "${unknown}".`);
}

export interface TargetOptions extends FilterOptions {
  readonly allMatching?: true;
  readonly dryRun?: true;
}

export function addTargetOptions(command: Command): Command {
  return addFilterOptions(
    command
      .argument("[id...]", "ids, ends of ids, or names")
      .option("--dry-run", "change nothing; say how many jobs it would be done to, and show some")
      .option("--all-matching", "all jobs that match the options below, instead of ids"),
  );
}

/** Either ids or a filter; a batch alone and a whole filter are enough, any other option wants it to be said. */
export function toTarget(ids: readonly string[], options: TargetOptions): Record<string, unknown> {
  const signal = ids.find((id) => /^-\d+$/.test(id));
  if (signal !== undefined) refuse(`No option "${signal}" is needed: all processes of a job end by its id alone.`);
  const filter = toFilter(options);
  const isFiltered = Object.keys(filter).length > 0;
  if (ids.length > 0 && (isFiltered || options.allMatching === true))
    refuse("Give either ids or options that select jobs, not both.");
  const dryRun = options.dryRun === true ? { dry_run: true } : {};
  if (ids.length > 0) return { ids, ...dryRun };
  const isMeant = "q" in filter || Object.keys(filter).every((key) => key === "batch");
  if (isFiltered && !isMeant && options.allMatching !== true && options.dryRun !== true) {
    refuse("Add --all-matching to mean all jobs that match these options.");
  }
  if (!isFiltered)
    refuse("Say which jobs: ids, --batch, --filter, or --all-matching with options such as --state or --tag.");
  return { filter, ...dryRun };
}

function refuse(message: string): never {
  throw new LonghaulError("invalid_input", message);
}
