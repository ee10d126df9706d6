import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { Argument, InvalidArgumentError, type Command } from "commander";
import { LonghaulError } from "../../../job/error.ts";
import type { CliContext } from "../cli-context.ts";
import { clientNames, mcpClients } from "./client-table.ts";
import type { McpClient, Places } from "./mcp-client.ts";

/** What `add` and `remove` have in common. */
export interface TargetOptions {
  readonly project?: string | true;
  readonly name: string;
  readonly print?: true;
}

export function describeTarget(command: Command): Command {
  return command
    .addArgument(new Argument("[client]", "which client").choices(clientNames))
    .option("--project [folder]", "the project's file instead of your own (the current folder unless given)")
    .option("--name <name>", "the server's name in the client", readName, "longhaul")
    .option("--print", "only show what would be written");
}

export interface Target {
  /** Undefined if none was named. */
  readonly client: McpClient | undefined;
  /** Undefined for the user's own file. */
  readonly folder: string | undefined;
}

export function readTarget({ project }: TargetOptions, word: string | undefined): Target {
  // `--project cursor` reads as a folder of that name, but hardly ever means one.
  const isSwallowed = word === undefined && typeof project === "string" && !existsSync(project);
  const client = mcpClients.find(({ name }) => name === (isSwallowed ? project : word));
  if (project === undefined) return { client, folder: undefined };
  const folder = resolve(project === true || (isSwallowed && client !== undefined) ? "." : project);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new LonghaulError("invalid_input", `--project must name an existing folder, got "${folder}".`);
  }
  return { client, folder };
}

export function findPlaces({ environment }: CliContext): Places {
  const variable = (name: string): string | undefined => {
    const value = environment.variable(name);
    return value === "" ? undefined : value;
  };
  return { home: homedir(), isMac: process.platform === "darwin", variable };
}

export function findFile(client: McpClient, folder: string | undefined, places: Places): string {
  if (folder === undefined) return resolve(client.userFile(places));
  if (client.projectFile !== undefined) return client.projectFile(folder);
  throw new LonghaulError(
    "invalid_input",
    `${client.title} has no file for a project: leave out --project to add it for yourself.`,
  );
}

function readName(text: string): string {
  if (/^[A-Za-z0-9][\w-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 letters, digits, dashes and underscores.");
}
