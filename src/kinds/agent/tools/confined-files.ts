import { randomBytes } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { LonghaulError } from "../../../job/error.ts";
import { compileGlob } from "../../../text/glob.ts";
import { isInside } from "../../shell/policy.ts";
import { parseIgnoreRules, type IgnoreRules } from "./ignore-rules.ts";

const maxBytes = 10_000_000;
const maxEntries = 50_000;
const maxSecrets = 100;
const maxSecretBytes = 100_000;

interface FolderRules {
  /** Of the paths that they speak of. */
  readonly prefix: string;
  readonly rules: IgnoreRules;
}

export interface FolderEntry {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly entry: Dirent;
}

/**
 * The files below one folder, and no others: every path is resolved anew at every use, links included. Files that the
 * configuration calls secret look as if they could not be read, and so do hidden places, which are given with all links resolved.
 */
export class ConfinedFiles {
  readonly root: string;
  readonly #isSecret: (path: string) => boolean;
  readonly #namedSecrets: readonly string[];
  readonly #hidden: readonly string[];

  constructor(root: string, secretGlobs: readonly string[], hidden: readonly string[] = []) {
    this.root = root;
    this.#hidden = hidden;
    const globs = secretGlobs.map(compileGlob);
    this.#isSecret = (path) => [path, basename(path), resolve(root, path)].some((name) => globs.some((is) => is(name)));
    this.#namedSecrets = secretGlobs.filter((glob) => isAbsolute(glob));
  }

  async readText(path: string): Promise<string> {
    const bytes = await this.readBytes(path);
    if (bytes.subarray(0, 8_000).includes(0)) throw refusal(`${path} is not a text file.`);
    return bytes.toString("utf8");
  }

  async readBytes(path: string): Promise<Buffer> {
    const real = await this.#realPath(path);
    // Neither a link that was put there meanwhile nor a pipe that nobody writes to.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(tell(path));
    try {
      const facts = await file.stat();
      if (!facts.isFile()) throw refusal(`${path} is not a regular file.`);
      if (facts.size > maxBytes) throw refusal(`${path} has ${facts.size} bytes; at most ${maxBytes} can be read.`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  }

  /** Whole or not at all: readers never see half of it. */
  async writeText(path: string, text: string): Promise<void> {
    const target = await this.#placeFor(path);
    await mkdir(dirname(target), { recursive: true }).catch(tell(path));
    const mode = await stat(target).then(
      (facts) => facts.mode,
      () => undefined,
    );
    const draft = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString("hex")}`);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = await open(draft, flags, mode === undefined ? 0o666 : mode & 0o777).catch(tell(path));
    try {
      await file.writeFile(text);
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await file.close();
      await rename(draft, target);
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    await rm(await this.#placeFor(path)).catch(tell(path));
  }

  async exists(path: string): Promise<boolean> {
    return (await lstat(await this.#placeFor(path)).catch(() => undefined)) !== undefined;
  }

  /** The folder with all links resolved, and its path below the root. */
  async list(path: string): Promise<{ real: string; entries: Dirent[] }> {
    const real = await this.#realPath(path);
    const entries = await readdir(real, { withFileTypes: true }).catch(tell(path));
    const kept = entries.filter(
      ({ name }) => !this.#isSecret(this.shown(join(real, name))) && !this.#isHidden(join(real, name)),
    );
    return { real, entries: kept.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  /** Every file below a folder, or the file itself; links are not followed, nor what .gitignore files name, unless the folder is such a one. */
  async *walk(path: string, skipped: ReadonlySet<string>): AsyncGenerator<FolderEntry> {
    const start = this.nameOf(path);
    const above = await this.#rulesAbove(start);
    const folders = [{ folder: start, rules: isIgnored(above, start, true) ? [] : above }];
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const { folder } = next;
      const listed = await this.list(folder).catch((error: unknown) => {
        if (folder === start) throw error;
        return { real: "", entries: [] };
      });
      const rules = [...next.rules, ...(await this.#rulesOf(folder, listed.entries))];
      const below: typeof folders = [];
      for (const entry of listed.entries) {
        const inner = this.shown(join(listed.real, entry.name));
        if (isIgnored(rules, inner, entry.isDirectory())) continue;
        if (entry.isDirectory() && !skipped.has(entry.name)) below.push({ folder: inner, rules });
        else if (entry.isFile()) yield { path: inner, entry };
      }
      folders.push(...below.toReversed());
    }
  }

  /** Of the folders that a path lies in, from the root on. */
  async #rulesAbove(path: string): Promise<FolderRules[]> {
    const parts = path === "." ? [] : path.split("/");
    const rules: FolderRules[] = [];
    for (const [index] of parts.entries()) {
      const folder = parts.slice(0, index).join("/") || ".";
      const { entries } = await this.list(folder).catch(() => ({ entries: [] }));
      rules.push(...(await this.#rulesOf(folder, entries)));
    }
    return rules;
  }

  async #rulesOf(folder: string, entries: readonly Dirent[]): Promise<FolderRules[]> {
    if (!entries.some((entry) => entry.name === ".gitignore" && entry.isFile())) return [];
    const prefix = folder === "." ? "" : `${folder}/`;
    const text = await this.readText(`${prefix}.gitignore`).catch(() => "");
    return [{ prefix, rules: parseIgnoreRules(text) }];
  }

  async isFolder(path: string): Promise<boolean> {
    return (await stat(await this.#realPath(path)).catch(tell(path))).isDirectory();
  }

  /** What the secret files say, so that it can be hidden wherever else it turns up. */
  async readSecrets(skipped: ReadonlySet<string>): Promise<string[]> {
    const found = new Set(this.#namedSecrets);
    const folders = [this.root];
    let seen = 0;
    // The folders near the root first: a very big tree is not read to its end.
    for (let next = 0; next < folders.length && seen < maxEntries; next++) {
      const folder = folders[next] ?? "";
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      seen += entries.length;
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (this.#isSecret(this.shown(path))) found.add(path);
        else if (entry.isDirectory() && !skipped.has(entry.name) && !this.#isHidden(path)) folders.push(path);
      }
    }
    return Promise.all([...found].slice(0, maxSecrets).map(readSmall));
  }

  /** One name for all ways to write a path; says nothing of whether it may be used. */
  nameOf(path: string): string {
    return this.shown(resolve(this.root, path));
  }

  /** How a real path is told: relative to the root. */
  shown(real: string): string {
    return relative(this.root, real).split(sep).join("/") || ".";
  }

  async #realPath(path: string): Promise<string> {
    const real = await realpath(this.#within(path)).catch(tell(path));
    return this.#check(real, path);
  }

  /** Where a file is or would be: what exists of its folder is inside, and the file itself is no link. */
  async #placeFor(path: string): Promise<string> {
    const wanted = this.#within(path);
    if (wanted === this.root) throw refusal(`${path} is the folder itself.`);
    let existing = dirname(wanted);
    while (existing !== this.root && (await lstat(existing).catch(() => undefined)) === undefined) {
      existing = dirname(existing);
    }
    const real = this.#check(await realpath(existing).catch(tell(path)), path);
    const place = this.#check(join(real, relative(existing, wanted)), path);
    const facts = await lstat(place).catch(() => undefined);
    if (facts?.isSymbolicLink() === true) throw refusal(`${path} is a link; name the file that it leads to.`);
    if (facts?.isDirectory() === true) throw refusal(`${path} is a folder.`);
    return place;
  }

  /** Before anything is looked at: what lies outside by its name alone is not even asked for. */
  #within(path: string): string {
    if (path.includes("\0")) throw refusal("A path must not contain zero bytes.");
    return this.#check(resolve(this.root, path), path);
  }

  #check(absolute: string, path: string): string {
    if (!isInside(this.root, absolute)) throw refusal(`${path} is outside ${this.root}.`);
    if (this.#isHidden(absolute)) throw refusal(`${path} belongs to the server itself.`);
    if (this.#isSecret(this.shown(absolute))) throw refusal(`${path} is secret by configuration (agent.secret_files).`);
    return absolute;
  }

  #isHidden(absolute: string): boolean {
    return this.#hidden.some((place) => isInside(place, absolute));
  }
}

/** The nearest folder that says something decides. */
function isIgnored(all: readonly FolderRules[], path: string, isFolder: boolean): boolean {
  for (const { prefix, rules } of all.toReversed()) {
    const verdict = path.startsWith(prefix) ? rules(path.slice(prefix.length), isFolder) : undefined;
    if (verdict !== undefined) return verdict === "ignored";
  }
  return false;
}

/** Whatever it leads to: a command that prints it follows links, too. */
async function readSmall(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isFile() !== true || facts.size > maxSecretBytes) return "";
  return readFile(path, "utf8").catch(() => "");
}

function refusal(message: string): LonghaulError {
  return new LonghaulError("not_allowed", message);
}

/** The system's errors name the real path; ours names what was asked for. */
function tell(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const what = {
      ENOENT: "does not exist",
      ENOTDIR: "is not a folder",
      EACCES: "may not be used",
      ELOOP: "is a link",
    };
    const known = what[error.code as keyof typeof what];
    throw new LonghaulError("invalid_input", `${path} ${known ?? `cannot be used (${error.code ?? "unknown"})`}.`, {
      cause: error,
    });
  };
}
