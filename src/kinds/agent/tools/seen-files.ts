import { createHash } from "node:crypto";
import { LonghaulError } from "../../../job/error.ts";
import type { ConfinedFiles } from "./confined-files.ts";

/** How the files looked when the agent last read or wrote them, by name; part of its checkpoint. */
export type SeenFiles = Record<string, string>;

const maxSeen = 1_000;

/** Sees to it that nothing is overwritten that somebody else has changed since the agent last looked. */
export class FileMemory {
  readonly #files: ConfinedFiles;
  readonly #seen: SeenFiles;

  constructor(files: ConfinedFiles, seen: SeenFiles) {
    this.#files = files;
    this.#seen = seen;
  }

  note(path: string, text: string): void {
    const name = this.#files.nameOf(path);
    delete this.#seen[name];
    this.#seen[name] = digest(text);
    const [oldest] = Object.keys(this.#seen);
    if (oldest !== undefined && Object.keys(this.#seen).length > maxSeen) delete this.#seen[oldest];
  }

  forget(path: string): void {
    delete this.#seen[this.#files.nameOf(path)];
  }

  /** Refuses a file that does not look any more as it did. What was never looked at may look as it likes. */
  check(path: string, text: string): void {
    const known = this.#seen[this.#files.nameOf(path)];
    if (known === undefined || known === digest(text)) return;
    throw new LonghaulError(
      "conflict",
      `${path} has changed since you last read it: read it again before you change it.`,
    );
  }

  async readText(path: string): Promise<string> {
    const text = await this.#files.readText(path);
    this.note(path, text);
    return text;
  }

  async writeText(path: string, text: string): Promise<void> {
    await this.#files.writeText(path, text);
    this.note(path, text);
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64").slice(0, 16);
}
