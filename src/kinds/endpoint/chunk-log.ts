import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import type { OutputFile } from "../../job/output.ts";
import type { Chunks } from "./remote-endpoint.ts";

const longestReadBytes = 50_000_000;

/**
 * The chunks of a remote job's stream, one JSON line each, in a file that is complete whenever this process may die: the
 * platform gives a chunk only once. A platform that tells all of them again every time is noticed, and they are kept once.
 */
export class ChunkLog {
  readonly #file: OutputFile;
  readonly #hide: (text: string) => string;
  readonly #kept: string[];
  readonly #isCounted: boolean;
  #isRepeating: boolean | undefined;

  constructor(file: OutputFile, hide: (text: string) => string) {
    this.#file = file;
    this.#hide = hide;
    const lines = readLines(file.path);
    this.#isCounted = lines !== undefined;
    this.#kept = (lines ?? []).map(digest);
  }

  /** How many chunks are kept; undefined if they were too many to look at. */
  get count(): number | undefined {
    return this.#isCounted ? this.#kept.length : undefined;
  }

  /** Keeps what is new of these chunks, and says how many that were. `take` asks for more, where these leave a doubt. */
  async keep({ chunks, isSequel }: Chunks, take: () => Promise<Chunks>): Promise<number> {
    if (chunks.length === 0) return 0;
    const lines = chunks.map((chunk) => this.#hide(JSON.stringify(chunk)));
    if (isSequel) return this.#append(lines);
    if (this.#kept.length === 0 || !this.#beginsWithKept(lines)) {
      // Whoever tells everything again begins with what was told before.
      this.#isRepeating = this.#kept.length === 0 ? this.#isRepeating : false;
      return this.#append(lines);
    }
    if (this.#isRepeating === true) return this.#append(lines.slice(this.#kept.length));
    if (this.#isRepeating === false) return this.#append(lines);
    const again = (await take()).chunks.map((chunk) => this.#hide(JSON.stringify(chunk)));
    this.#isRepeating = again.length >= lines.length && lines.every((line, index) => line === again[index]);
    return this.#append(this.#isRepeating ? again.slice(this.#kept.length) : [...lines, ...again]);
  }

  #beginsWithKept(lines: readonly string[]): boolean {
    return lines.length >= this.#kept.length && this.#kept.every((kept, index) => kept === digest(lines[index] ?? ""));
  }

  async #append(lines: readonly string[]): Promise<number> {
    if (lines.length === 0) return 0;
    appendFileSync(this.#file.path, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    this.#kept.push(...lines.map(digest));
    // The platform gives them to nobody again.
    await this.#file.grown({ isDurable: true });
    return lines.length;
  }
}

/** Of a stream that has outgrown memory nothing is compared: what comes next is then taken for new. */
function readLines(path: string): string[] | undefined {
  if (!existsSync(path)) return [];
  if (statSync(path).size > longestReadBytes) return undefined;
  const text = readFileSync(path, "utf8");
  // A line that a dying server did not finish must not swallow the next one.
  if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n");
  return text.split("\n").slice(0, -1);
}

function digest(line: string): string {
  return createHash("sha1").update(line).digest("base64");
}
