import { dirname } from "node:path";
import { messageOf } from "../../../job/failure.ts";
import type { CliContext } from "../cli-context.ts";
import { findProgram } from "../../../text/find-program.ts";
import { compareVersions } from "../server/version-order.ts";
import { bad, note, ok, type Finding } from "./finding.ts";

const oldestNode = "20.19.0";

interface Tool {
  readonly name: string;
  /** A tool is not needed where the one that it stands in for is there. */
  readonly isNeeded: boolean;
  readonly standsInFor?: string;
  readonly lack: string;
  readonly advice: string;
}

const tools: readonly Tool[] = [
  {
    name: "bash",
    isNeeded: true,
    lack: "command lines cannot be run in it",
    advice: "Install bash, or set shell.shell to sh in the configuration.",
  },
  { name: "perl", isNeeded: false, lack: "commands start more slowly", advice: "Install perl." },
  {
    name: "mkfifo",
    isNeeded: true,
    standsInFor: "perl",
    lack: "no command can be started",
    advice: "Install perl or coreutils.",
  },
  {
    name: "script",
    isNeeded: false,
    ...(process.platform === "linux" ? { standsInFor: "perl" } : {}),
    lack: "jobs with --pty fail",
    advice: "Install util-linux (on Debian 12 and later: bsdutils).",
  },
  {
    name: "fallocate",
    isNeeded: false,
    lack: "output beyond its cap is cut more slowly",
    advice: "Install util-linux.",
  },
];

/** What Longhaul needs of this machine, and its configuration. */
export async function checkMachine({ environment }: Pick<CliContext, "environment">): Promise<Finding[]> {
  const path = environment.variable("PATH") ?? "";
  return [
    checkNode(process.versions.node),
    await checkConfiguration(environment.paths.config),
    ...tools.flatMap((tool) => checkTool(tool, path)),
  ];
}

function checkNode(version: string): Finding {
  if (compareVersions(version, oldestNode) >= 0) return ok("node", `Node ${version} is recent enough.`);
  return bad("node", `Node ${version} is too old.`, `Install Node ${oldestNode} or later.`);
}

async function checkConfiguration(file: string): Promise<Finding> {
  try {
    const { loadConfig } = await import("../../../config/config.ts");
    loadConfig();
    return ok("settings", "The configuration is valid.");
  } catch (error) {
    return bad("settings", messageOf(error), `Correct ${file} or the variable that it names.`);
  }
}

function checkTool(tool: Tool, path: string): Finding[] {
  const { name, isNeeded, standsInFor, lack, advice } = tool;
  if (standsInFor !== undefined && findProgram(standsInFor, path) !== undefined) return [];
  const found = findProgram(name, path);
  if (found !== undefined) return [ok(name, `${name} is in ${dirname(found)}.`)];
  const message = `${name} is not on the PATH: ${lack}.`;
  return [isNeeded ? bad(name, message, advice) : note(name, message, advice)];
}
