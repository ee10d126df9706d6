import { Command, type Argument, type Option } from "commander";
import { allProfiles, profiles } from "../../../config/profiles.ts";
import { jobStatuses } from "../../../job/state.ts";
import { commandTable, type CommandEntry } from "../command-table.ts";

/** What may stand at the place of the cursor: a word, and what it means where that helps. */
export interface Candidate {
  readonly word: string;
  readonly summary?: string;
}

/** Words that only a running server knows. */
export interface KnownWords {
  readonly jobs: () => Promise<readonly Candidate[]>;
  readonly kinds: () => Promise<readonly Candidate[]>;
  readonly batches: () => Promise<readonly Candidate[]>;
  readonly verbs: () => Promise<readonly CommandEntry[]>;
}

/** Words to choose from, or what the shell itself completes: files, or a command line that begins behind so many words. */
export type Completion = readonly Candidate[] | "files" | { readonly commandAfter: number };

/** Completes the last of the words, from the table of commands and what each says of its arguments and options. */
export async function completeWords(words: readonly string[], known: KnownWords): Promise<Completion> {
  const given = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const isHelp = given[0] === "help";
  let entry: CommandEntry = { name: "", summary: "", children: commandTable };
  let depth = isHelp ? 1 : 0;
  while (entry.children !== undefined && depth < given.length) {
    const next = entry.children.find(({ name }) => name === given[depth]);
    if (next === undefined) return [];
    entry = next.hasVerbs === true ? { ...next, children: await known.verbs() } : next;
    depth += 1;
  }
  if (entry.children !== undefined) {
    const others = depth === 0 ? topWords : isHelp && depth === 1 ? helpWords : [];
    return [...toWords(entry), ...others];
  }
  const definition = await entry.load?.();
  if (definition === undefined || isHelp) return [];
  const command = new Command(entry.name).option("--json", "print JSON").option("-h, --help", "show help");
  definition.describe(command);
  return completeCall(command, { before: depth, words: given.slice(depth), current, known });
}

const topWords: readonly Candidate[] = [
  { word: "help", summary: "show help for a command" },
  { word: "--help", summary: "show help" },
  { word: "--version", summary: "print the version" },
];

const helpWords: readonly Candidate[] = [{ word: "--all", summary: "list every command" }];

function toWords({ children = [] }: CommandEntry): Candidate[] {
  return children.filter(({ isHidden }) => isHidden !== true).map(({ name, summary }) => ({ word: name, summary }));
}

interface Call {
  /** How many words named the command. */
  readonly before: number;
  readonly words: readonly string[];
  readonly current: string;
  readonly known: KnownWords;
}

async function completeCall(command: Command, { before, words, current, known }: Call): Promise<Completion> {
  let open: Option | undefined;
  let count = 0;
  let hasOptions = true;
  for (const [index, word] of words.entries()) {
    // Bash takes `--state=failed` for three words.
    if (word === "=" && open !== undefined) continue;
    if (open !== undefined) open = undefined;
    else if (hasOptions && word === "--") hasOptions = false;
    else if (hasOptions && word.startsWith("-")) open = takesValue(findOption(command, word));
    else count += 1;
    const isCommandLine = command.registeredArguments[0]?.name() === "command" && (count > 0 || !hasOptions);
    if (isCommandLine) return { commandAfter: before + index + (count > 0 ? 0 : 1) };
  }
  if (open !== undefined) return completeValue(open, current === "=" ? "" : current, known);
  const [, flag = "", value = ""] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (hasOptions && flag !== "") {
    const option = takesValue(findOption(command, flag));
    const found = option === undefined ? [] : await completeValue(option, value, known);
    return Array.isArray(found) ? found.map((each) => ({ ...each, word: `${flag}=${each.word}` })) : found;
  }
  if (hasOptions && current.startsWith("-")) return command.options.filter(({ hidden }) => !hidden).flatMap(toFlags);
  const argument = command.registeredArguments[count] ?? command.registeredArguments.findLast((each) => each.variadic);
  if (argument?.name() === "command") return { commandAfter: before + words.length };
  return argument === undefined ? [] : completeValue(argument, current, known);
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag);
}

function takesValue(option: Option | undefined): Option | undefined {
  return option?.required === true ? option : undefined;
}

function toFlags({ long, short, description }: Option): Candidate[] {
  return [long, short].flatMap((word) => (word === undefined ? [] : [{ word, summary: description }]));
}

/** What a value is, its name in the usage says: `<id>`, `<kind>`, `<state,…>`, `<folder>`. */
async function completeValue(value: Option | Argument, current: string, known: KnownWords): Promise<Completion> {
  if (value.argChoices !== undefined) return value.argChoices.map((word) => ({ word }));
  const name = "flags" in value ? /<(\w+)/.exec(value.flags)?.[1] : value.name();
  if (name === "id" || name === "job") return known.jobs();
  if (name === "kind") return known.kinds();
  if (name === "batch") return known.batches();
  if (name === "state") return completeList(current, [...jobStatuses, "active"]);
  if (name === "profile") return completeList(current, current.includes(",") ? profiles : [...profiles, allProfiles]);
  return name === "folder" || name === "file" || name === "path" || name === "place" ? "files" : [];
}

/** The next word of a list with commas, behind those that are there. */
function completeList(current: string, words: readonly string[]): Candidate[] {
  const before = current.slice(0, current.lastIndexOf(",") + 1);
  const used = before.split(",");
  return words.filter((word) => !used.includes(word)).map((word) => ({ word: `${before}${word}` }));
}
