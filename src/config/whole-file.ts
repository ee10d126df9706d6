import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Replaces a file, for its owner alone: after a power cut there is the old one or the new one, never a part. */
export function writeWholeFile(path: string, text: string): void {
  withDraft(path, text, (draft) => renameSync(draft, path));
}

/**
 * The text in a file, which is made when it is first needed, and anew when a power cut has left nothing in it. Linked into its place
 * when it is whole: of two that make it at once, one wins and both read the same.
 */
export function readOrMakeFile(path: string, make: () => string): string {
  const text = readIfThere(path);
  if (text !== "") return text;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  withDraft(path, make(), (draft) => {
    try {
      linkSync(draft, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
      if (readIfThere(path) === "") renameSync(draft, path);
    }
  });
  return readIfThere(path);
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}

/** Hands over a file beside the wanted one with the text in it, safe on the disk, and makes its new name safe too. */
function withDraft(path: string, text: string, place: (draft: string) => void): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
    sync(draft);
    place(draft);
  } finally {
    rmSync(draft, { force: true });
  }
  sync(dirname(path));
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
