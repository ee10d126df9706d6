import { homedir } from "node:os";
import type { CliContext } from "../cli-context.ts";
import { backupPath, removeBackup, removeConfigFile, writeConfigFile, type ConfigFile } from "./config-file.ts";
import { formatDifference, formatEntry } from "./entry-text.ts";
import type { Entry, McpClient } from "./mcp-client.ts";
import type { PlannedChange } from "./plan-change.ts";
import type { TargetOptions } from "./target.ts";

interface Work {
  readonly client: McpClient;
  readonly file: ConfigFile;
  readonly plan: PlannedChange;
  readonly options: TargetOptions & { readonly json?: true };
  /** The project whose file it is; undefined for the user's own. */
  readonly project: string | undefined;
}

/** Writes what was planned, unless it was only to be printed, and says what became of the file. */
export async function applyChange({ screen }: CliContext, work: Work): Promise<void> {
  const { client, file, plan, options } = work;
  const { change, before, after } = plan;
  const isWritten = options.print !== true && change !== "unchanged" && change !== "absent";
  const format = (entry: Entry | undefined): Promise<string> => formatEntry(client.format, plan.keys, entry);
  const text = await format(after ?? before);
  if (options.json === true) {
    if (isWritten) write(work);
    const { name } = options;
    const found = change === "absent" ? {} : { text };
    const facts = isWritten ? leftBehind(work) : {};
    screen.printJson({ client: client.name, name, file: file.path, change, written: isWritten, ...found, ...facts });
    return;
  }
  if (change === "absent")
    screen.print(`${client.title} has no server "${options.name}" in ${file.path}: nothing to remove.`);
  else if (options.print === true) {
    screen.note(`${headlines[change]} ${file.path}; nothing was written.`);
    screen.print(text);
  } else if (change === "unchanged") screen.print(`Already there, unchanged: "${options.name}" in ${file.path}.`);
  else {
    // Shown before it is done: whatever fails then is understood.
    screen.print(
      `${screen.style.bold(file.path)}\n${formatDifference(await format(before), await format(after), screen.style)}`,
    );
    write(work);
    screen.print([``, describe(work), client.next, ...warnings(work)].join("\n"));
  }
}

const headlines: Readonly<Record<Exclude<PlannedChange["change"], "absent">, string>> = {
  added: "This would be added to",
  updated: "This would be updated in",
  unchanged: "This is already in",
  removed: "This would be removed from",
};

/** What will not work yet, and what to do about it. */
function warnings({ client: { approval }, plan: { after } }: Work): string[] {
  if (approval === undefined || after === undefined) return [];
  return Object.keys(approval.fields).every((key) => key in after) ? [] : [approval.without];
}

function write({ file, plan: { text, backup }, project }: Work): void {
  if (text === undefined) removeConfigFile(file, project ?? homedir());
  else writeConfigFile(file, text, { newMode: project === undefined ? 0o600 : 0o644, makesBackup: backup === "made" });
  if (backup === "dropped") removeBackup(file);
}

function leftBehind({ file, plan }: Work): { backup?: string; file_removed?: true } {
  if (plan.text === undefined) return { file_removed: true };
  return plan.backup === "made" || plan.backup === "kept" ? { backup: backupPath(file) } : {};
}

function describe(work: Work): string {
  const { client, plan, options } = work;
  const done = {
    added: `Added "${options.name}" to ${client.title}.`,
    updated: `Updated "${options.name}" in ${client.title}.`,
    removed: `Removed "${options.name}" from ${client.title}.`,
    unchanged: "",
    absent: "",
  }[plan.change];
  const { backup, file_removed: isRemoved } = leftBehind(work);
  if (isRemoved === true) return `${done} The file held nothing else, so it was deleted.`;
  if (backup !== undefined) return `${done} The previous version is kept in ${backup}.`;
  return plan.backup === "dropped" ? `${done} The file is as it was before.` : `${done} The file holds nothing else.`;
}
