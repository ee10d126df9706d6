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
  const act: Act = async (definition, command) => {
    called = command;
    exitCode = (await definition.run(cli, command.opts(), command.processedArgs)) ?? exitCodes.done;
  };
  let complaint = "";
  const program = createProgram(cli.version, (text) => {
    complaint += text;
  });
  try {
    await addCommands(program, commandTable, words, { act, findVerbs: () => findVerbs(cli) });
    await program.parseAsync(words.length === 0 ? ["--help"] : [...words], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const isUsage = error instanceof CommanderError;
    const told = isUsage ? new LonghaulError("invalid_input", toSentence(complaint)) : error;
    await report(cli, told, called, wantsJson(words));
    return isUsage ? exitCodes.badInput : toExitCode(error);
  }
}

function createProgram(version: string, onError: (text: string) => void): Command {
  return new Command("longhaul")
    .description("Runs long work that outlives everything but its own end.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, outputError: onError })
    .addHelpText("after", examples);
}

const examples = `
Examples:
  longhaul run -- npm test                 run a command, follow it, exit with its code
  longhaul run -d --name api -- npm start  run it in the background
  longhaul ps                              see what is running
  longhaul logs -f api                     follow the output
  longhaul wait api --until ready          wait for it
  longhaul cancel api                      end it

A job is named by its id, the last characters of its id, or its name.`;

type Act = (definition: CliCommand, command: Command) => Promise<void>;

async function findVerbs({ client }: CliContext): Promise<CommandEntry[]> {
  const { startCommands } = await import("./commands/start.ts");
  return startCommands(await client.call("kind_list", {}));
}

/** All commands are known by name, but only the one that is called is loaded and described in full. */
async function addCommands(
  parent: Command,
  entries: readonly CommandEntry[],
  words: readonly string[],
  parts: { readonly act: Act; readonly findVerbs: () => Promise<CommandEntry[]> },
): Promise<void> {
  const [called, ...rest] = words.filter((word) => !word.startsWith("-") && word !== "help");
  for (const { name, summary, isHidden, load, hasVerbs, children } of entries) {
    const command = parent.command(name, { hidden: isHidden === true });
    command.summary(summary).description(capitalise(summary));
    if (called !== name) continue;
    const inner = hasVerbs === true ? await parts.findVerbs() : children;
    if (inner !== undefined) await addCommands(command, inner, rest, parts);
    const definition = await load?.();
    if (definition === undefined) continue;
    definition.describe(command);
    command.option("--json", "print JSON").action(() => parts.act(definition, command));
  }
}

function capitalise(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Commander says `error: unknown option '--x'` and, on a line of its own, what may have been meant. */
function toSentence(complaint: string): string {
  const [first = "", ...rest] = complaint
    .replace(/^error: /, "")
    .trim()
    .split("\n");
  return [capitalise(first.replace(/\.$/, "")), ...rest].join(" ").trim();
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
