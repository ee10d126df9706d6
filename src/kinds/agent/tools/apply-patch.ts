import { LonghaulError } from "../../../job/error.ts";
import type { ConfinedFiles } from "./confined-files.ts";
import type { FileMemory } from "./seen-files.ts";
import { parsePatch, type FileChange, type Hunk } from "./patch-text.ts";

interface Effect {
  readonly path: string;
  /** Undefined removes the file. */
  readonly text: string | undefined;
  readonly told: string;
}

/** Works everything out before it writes anything: a patch that does not fit leaves no trace. */
export async function applyPatch(patch: string, files: ConfinedFiles, memory: FileMemory): Promise<string> {
  const effects: Effect[] = [];
  for (const change of parsePatch(patch)) effects.push(...(await toEffects(change, files, memory)));
  for (const { path, text } of effects) {
    if (text !== undefined) await memory.writeText(path, text);
    else {
      await files.remove(path);
      memory.forget(path);
    }
  }
  return effects.map(({ told }) => told).join("\n");
}

async function toEffects(change: FileChange, files: ConfinedFiles, memory: FileMemory): Promise<Effect[]> {
  const { path } = change;
  if (change.type === "add") {
    if (await files.exists(path)) throw refusal(`${path} exists already: update it instead.`);
    return [{ path, text: change.text, told: `Added ${path}` }];
  }
  const text = await files.readText(path);
  memory.check(path, text);
  if (change.type === "delete") return [{ path, text: undefined, told: `Deleted ${path}` }];
  const changed = change.hunks.reduce((state, hunk) => applyHunk(state, hunk, path), {
    lines: text.split("\n"),
    from: 0,
  });
  const written = { path, text: changed.lines.join("\n"), told: `Updated ${path}` };
  if (change.moveTo === undefined) return [written];
  if (await files.exists(change.moveTo)) throw refusal(`${change.moveTo} exists already.`);
  return [
    { ...written, path: change.moveTo, told: `Moved ${path} to ${change.moveTo}` },
    { path, text: undefined, told: `Deleted ${path}` },
  ];
}

function applyHunk(
  state: { lines: string[]; from: number },
  hunk: Hunk,
  path: string,
): { lines: string[]; from: number } {
  let { from } = state;
  for (const anchor of hunk.anchors) {
    const at = findLines(state.lines, [anchor], from);
    if (at < 0) throw refusal(`"${anchor}" was not found in ${path}.`);
    from = at + 1;
  }
  const at = findPlace(state.lines, hunk, from);
  if (at < 0) {
    throw refusal(`These lines were not found in ${path}; read the file and try again:\n${hunk.before.join("\n")}`);
  }
  const lines = [...state.lines];
  lines.splice(at, hunk.before.length, ...hunk.after);
  return { lines, from: at + hunk.after.length };
}

function findPlace(lines: readonly string[], { before, anchors, isAtEnd }: Hunk, from: number): number {
  if (before.length === 0) {
    const end = lines.at(-1) === "" ? lines.length - 1 : lines.length;
    return anchors.length > 0 && !isAtEnd ? from : end;
  }
  const at = findLines(lines, before, from);
  return at < 0 && from > 0 && anchors.length === 0 ? findLines(lines, before, 0) : at;
}

const comparisons: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/** As they stand, else without regard to the blanks at their ends. */
function findLines(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (const normal of comparisons) {
    const sought = wanted.map(normal);
    for (let at = from; at + sought.length <= lines.length; at++) {
      if (sought.every((line, offset) => normal(lines[at + offset] ?? "") === line)) return at;
    }
  }
  return -1;
}

function refusal(message: string): LonghaulError {
  return new LonghaulError("invalid_input", message);
}
