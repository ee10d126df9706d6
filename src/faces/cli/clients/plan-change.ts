import { isDeepStrictEqual } from "node:util";
import { LonghaulError } from "../../../job/error.ts";
import { isRecord } from "../../../job/is-record.ts";
import { UneditableError, type ConfigEditor } from "./config-editor.ts";
import type { ConfigFile } from "./config-file.ts";
import { isOurs, ownVariables } from "./launch.ts";
import type { Entry, Launch, McpClient } from "./mcp-client.ts";

/** What becomes of a client's file. */
export interface PlannedChange {
  /** Where the entry is in the file. */
  readonly keys: readonly string[];
  readonly change: "added" | "updated" | "unchanged" | "removed" | "absent";
  readonly before?: Entry;
  readonly after?: Entry;
  /** The new text; undefined if the file goes. */
  readonly text: string | undefined;
  /** `kept`: it holds what was before us and is not replaced by what we wrote ourselves; `dropped`: the file is the same again. */
  readonly backup: "made" | "kept" | "dropped" | "none";
}

interface AddRequest {
  readonly client: McpClient;
  readonly name: string;
  readonly launch: Launch;
  readonly isForced: boolean;
  readonly isApproved: boolean;
}

export function planAdd(
  editor: ConfigEditor,
  file: ConfigFile,
  backup: string | undefined,
  request: AddRequest,
): PlannedChange {
  const { client, name, launch, isForced, isApproved } = request;
  const approval = isApproved ? client.approval?.fields : undefined;
  const text = file.text ?? "";
  return explain(file, () => {
    const keys = editor.keys(text);
    const entry = { ...client.toEntry(launch, keys), ...approval };
    const before = editor.get(text);
    if (before === undefined) {
      const made = file.text === undefined ? "none" : "made";
      return { keys, change: "added", after: entry, text: editor.set(text, entry), backup: made };
    }
    const isKnown = isOurs(before);
    if (!isKnown && !isForced) {
      throw new LonghaulError(
        "conflict",
        `${file.path} has a server "${name}" that is not Longhaul's: give ours another name with --name, or replace it with --force.`,
      );
    }
    const after = isKnown ? { ...merge(client, before, entry), ...approval } : entry;
    const shown = isRecord(before) ? { before, after } : { after };
    if (isDeepStrictEqual(before, after)) return { keys, change: "unchanged", ...shown, text, backup: "none" };
    const isOlderBetter = isKnown && isOurWork(editor, text, backup, before);
    const made = isOlderBetter ? "kept" : isAllOurs(editor, text, before) ? "none" : "made";
    return { keys, change: "updated", ...shown, text: editor.set(text, after), backup: made };
  });
}

/** Undone exactly where nothing else has changed since; otherwise the entry alone is taken out. */
export function planRemove(
  editor: ConfigEditor,
  file: ConfigFile,
  backup: string | undefined,
  name: string,
): PlannedChange {
  return explain(file, () => {
    const text = file.text ?? "";
    const keys = editor.keys(text);
    const before = editor.get(text);
    if (before === undefined) return { keys, change: "absent", text, backup: "none" };
    if (!isOurs(before)) {
      throw new LonghaulError(
        "conflict",
        `The server "${name}" in ${file.path} is not Longhaul's: remove it by hand if you want it gone.`,
      );
    }
    const removed = { keys, change: "removed", before } as const;
    if (isOurWork(editor, text, backup, before)) return { ...removed, text: backup, backup: "dropped" };
    const isMadeByUs =
      isAllOurs(editor, text, before) || (backup === undefined && hasNothingElse(editor, text, before));
    if (file.path === file.target && isMadeByUs) return { ...removed, text: undefined, backup: "none" };
    return { ...removed, text: editor.unset(text), backup: "made" };
  });
}

/** True if the file would be the same had it not been there before us. */
function isAllOurs(editor: ConfigEditor, text: string, entry: unknown): boolean {
  return isOurs(entry) && editor.set("", entry) === text;
}

/** True if the file says the same as one that we made, however the client has written it since. */
function hasNothingElse(editor: ConfigEditor, text: string, entry: Entry): boolean {
  const [rest, ofOurs] = [text, editor.set("", entry)].map((each) => editor.unset(each).replaceAll(/\s/g, ""));
  return rest === ofOurs;
}

/** True if adding this entry to the backup makes the file, byte by byte. */
function isOurWork(editor: ConfigEditor, text: string, backup: string | undefined, entry: Entry): boolean {
  if (backup === undefined) return false;
  try {
    return editor.get(backup) === undefined && editor.set(backup, entry) === text;
  } catch (error) {
    if (error instanceof UneditableError) return false;
    throw error;
  }
}

/** What says how Longhaul is started is ours; whatever else stands in the entry is the user's, and so is its order. */
function merge({ envKey }: McpClient, before: Entry, entry: Entry): Entry {
  const { [envKey]: ownEnv = {}, command, ...ours } = entry;
  const env: Record<string, unknown> = { ...(before[envKey] as Entry | undefined), ...(ownEnv as Entry) };
  for (const name of ownVariables) if (!(name in (ownEnv as Entry))) delete env[name];
  const merged: Record<string, unknown> = { ...before, command, [envKey]: env };
  if (Object.keys(env).length === 0) delete merged[envKey];
  if ("args" in ours) merged["args"] = ours["args"];
  return { ...merged, ...Object.fromEntries(Object.entries(ours).filter(([key]) => !(key in merged))) };
}

function explain<Result>({ path }: ConfigFile, plan: () => Result): Result {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof UneditableError)) throw error;
    throw new LonghaulError("invalid_input", `${path} was left unchanged: ${error.message}.`, { cause: error });
  }
}
