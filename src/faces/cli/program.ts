import { Command, CommanderError } from "commander";
import { LonghaulError } from "../../job/error.ts";
import { commandTable, type CommandEntry } from "./command-table.ts";
import type { CliCommand } from "./command.ts";
import { exitCodes, toExitCode } from "./exit-code.ts";
import type { CliContext } from "./cli-context.ts";

/** Runs the command that the words name, and resolves with the exit code. Never rejects. */
export async function runProgram(cli: CliContext, words: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  let called: Command | undefined;
  let described: Command | undefined;
  const act: Act = async (definition, command) => {
    called = command;
    exitCode = (await definition.run(cli, command.opts(), command.processedArgs)) ?? exitCodes.done;
  };
  let complaint = "";
  const program = createProgram(cli.version, (text) => {
    complaint += text;
  });
  const parse = toCall(words);
  try {
    program.helpInformation = await loadHelp(parse);
    const onDescribed = (command: Command): Command => (described = command);
    await addCommands(program, commandTable, parse, { act, onDescribed, findVerbs: () => findVerbs(cli), path: [] });
    await program.parseAsync([...parse], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const isUsage = error instanceof CommanderError;
    const told = isUsage ? new LonghaulError("invalid_input", toSentence(complaint, error, described)) : error;
    await report(cli, told, called, wantsJson(words));
    return isUsage ? exitCodes.badInput : toExitCode(error);
  }
}

/** `help run` means `run --help`. */
function toCall(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  return first === undefined || first === "help" ? [...rest, "--help"] : words;
}

async function loadHelp(words: readonly string[]): Promise<() => string> {
  if (words.some((word) => !word.startsWith("-"))) return () => "";
  const { fullHelpText, overviewText } = await import("./show/help-text.ts");
  return () => (words.includes("--all") ? fullHelpText : overviewText)(commandTable);
}

function createProgram(version: string, onError: (text: string) => void): Command {
  return new Command("longhaul")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, outputError: onError });
}

type Act = (definition: CliCommand, command: Command) => Promise<void>;

async function findVerbs({ client }: CliContext): Promise<CommandEntry[]> {
  const { startCommands } = await import("./commands/start.ts");
  return startCommands(await client.call("kind_list", {}));
}

interface AddParts {
  readonly act: Act;
  readonly onDescribed: (command: Command) => void;
  readonly findVerbs: () => Promise<CommandEntry[]>;
  /** The words that lead to where the commands are added. */
  readonly path: readonly string[];
}

/** All commands are known by name, but only the one that is called is loaded and described in full. */
async function addCommands(
  parent: Command,
  entries: readonly CommandEntry[],
  words: readonly string[],
  parts: AddParts,
): Promise<void> {
  const called = words.find((word) => !word.startsWith("-"));
  if (called === undefined ? isGroupAlone(words, parts) : !entries.some(({ name }) => name === called)) {
    throw await refuseCommand(called, entries, parts.path);
  }
  for (const { name, summary, isHidden, load, hasVerbs, children } of entries) {
    const command = parent.command(name, { hidden: isHidden === true });
    command.summary(summary).description(capitalise(summary));
    if (called !== name) continue;
    const inner = hasVerbs === true ? await parts.findVerbs() : children;
    const rest = words.slice(words.indexOf(called) + 1);
    if (inner !== undefined) await addCommands(command, inner, rest, { ...parts, path: [...parts.path, name] });
    const definition = await load?.();
    if (definition === undefined) continue;
    definition.describe(command);
    parts.onDescribed(command);
    command.option("--json", "print JSON").action(() => parts.act(definition, command));
  }
}

function isGroupAlone(words: readonly string[], { path }: AddParts): boolean {
  return path.length > 0 && !words.some((word) => word === "--help" || word === "-h");
}

async function refuseCommand(
  called: string | undefined,
  entries: readonly CommandEntry[],
  path: readonly string[],
): Promise<LonghaulError> {
  const names = entries.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name);
  const group = ["longhaul", ...path].join(" ");
  if (called === undefined) {
    return new LonghaulError("invalid_input", `Say what to do: ${group} ${names.join("|")}.`);
  }
  const { findSimilarCommand } = await import("./options/similar-command.ts");
  const similar = findSimilarCommand(called, names);
  const all = path.length === 0 ? "longhaul help --all lists all." : `${group} has ${names.join(", ")}.`;
  return new LonghaulError(
    "invalid_input",
    `There is no command "${called}". ${similar === undefined ? all : `Did you mean ${similar}?`}`,
  );
}

function capitalise(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Commander says `error: unknown option '--x'` and, on a line of its own, what may have been meant. */
function toSentence(complaint: string, { code }: CommanderError, command: Command | undefined): string {
  const [first = "", ...rest] = complaint
    .replace(/^error: /, "")
    .trim()
    .split("\n");
  const isHelpless = rest.length === 0 && (code === "commander.unknownOption" || code === "commander.excessArguments");
  const example = isHelpless && command !== undefined ? [`Expected such as: ${exampleOf(command)}`] : [];
  return [capitalise(first.replace(/\.$/, "")), ...rest, ...example].join(" ").trim();
}

const exampleWords: Readonly<Record<string, string>> = {
  command: "-- npm test",
  id: "1a2b3c4d",
  url: "https://example.com",
};

function exampleOf(command: Command): string {
  const words = command.registeredArguments
    .filter((argument) => argument.required || argument.name() === "id")
    .map((argument) => exampleWords[argument.name()] ?? argument.name().toUpperCase());
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
  return `${[...names, ...words].join(" ")} (${names.join(" ")} --help shows the options)`;
}

function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? undefined : end).includes("--json");
}

async function report(
  { screen }: CliContext,
  error: unknown,
  called: Command | undefined,
  isJson: boolean,
): Promise<void> {
  const code = error instanceof LonghaulError ? error.code : error instanceof Error ? error.name : "Error";
  const { toOwnWords } = await import("./options/own-words.ts");
  const message = toOwnWords(error, called);
  if (isJson) screen.note(JSON.stringify({ error: { code, message } }));
  else screen.note(`${screen.noteStyle.red("error:")} ${message}`);
}
