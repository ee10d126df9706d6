import { LonghaulError } from "../../../job/error.ts";

/** A stretch of lines that becomes another; `anchors` are lines to be found before it, in their order. */
export interface Hunk {
  readonly anchors: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly isAtEnd: boolean;
}

export type FileChange =
  | { readonly type: "add"; readonly path: string; readonly text: string }
  | { readonly type: "delete"; readonly path: string }
  | { readonly type: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] };

/** Reads a patch in the format V4A. */
export function parsePatch(text: string): FileChange[] {
  const lines = text.replaceAll("\r\n", "\n").trim().split("\n");
  if (lines[0]?.trim() !== "*** Begin Patch" || lines.at(-1)?.trim() !== "*** End Patch") {
    throw broken('it must begin with "*** Begin Patch" and end with "*** End Patch"');
  }
  const changes: FileChange[] = [];
  let index = 1;
  while (index < lines.length - 1) {
    const [, verb, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(lines[index] ?? "") ?? [];
    if (verb === undefined || path === undefined) {
      if ((lines[index] ?? "").trim() !== "") throw broken(`line ${index + 1} names no file: "${lines[index]}"`);
      index += 1;
      continue;
    }
    let end = index + 1;
    while (end < lines.length - 1 && !/^\*\*\* (Add|Update|Delete) File: /.test(lines[end] ?? "")) end += 1;
    changes.push(toChange(verb, path.trim(), lines.slice(index + 1, end)));
    index = end;
  }
  if (changes.length === 0) throw broken("it names no file");
  return changes;
}

function toChange(verb: string, path: string, body: readonly string[]): FileChange {
  if (verb === "Delete") return { type: "delete", path };
  if (verb === "Add") {
    const wrong = body.find((line) => !line.startsWith("+") && line !== "");
    if (wrong !== undefined) throw broken(`every line of the new file ${path} must begin with "+", got "${wrong}"`);
    return { type: "add", path, text: body.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const [, moveTo] = /^\*\*\* Move to: (.+)$/.exec(body[0] ?? "") ?? [];
  const hunks = toHunks(moveTo === undefined ? body : body.slice(1), path);
  return { type: "update", path, hunks, moveTo: moveTo === undefined ? undefined : moveTo.trim() };
}

function toHunks(lines: readonly string[], path: string): Hunk[] {
  const hunks: Hunk[] = [];
  let open = emptyHunk();
  const close = (): void => {
    if (open.before.length + open.after.length > 0) hunks.push(open);
    open = emptyHunk();
  };
  for (const line of lines) {
    if (line.startsWith("@@")) {
      if (open.before.length + open.after.length > 0) close();
      const anchor = line.slice(2).trim();
      if (anchor !== "") open.anchors.push(anchor);
    } else if (line.trim() === "*** End of File") {
      open.isAtEnd = true;
      close();
    } else if (line.startsWith("+")) open.after.push(line.slice(1));
    else if (line.startsWith("-")) open.before.push(line.slice(1));
    else if (line.startsWith(" ") || line === "") {
      open.before.push(line.slice(1));
      open.after.push(line.slice(1));
    } else throw broken(`a line of ${path} begins with neither " ", "+", "-" nor "@@": "${line}"`);
  }
  close();
  return hunks;
}

function emptyHunk(): { anchors: string[]; before: string[]; after: string[]; isAtEnd: boolean } {
  return { anchors: [], before: [], after: [], isAtEnd: false };
}

function broken(why: string): LonghaulError {
  return new LonghaulError("invalid_input", `The patch is not valid: ${why}.`);
}
