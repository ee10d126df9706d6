import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";

/** A client's file as it was when it was read. */
export interface ConfigFile {
  readonly path: string;
  /** Where the bytes are: another place than the path only if that is a link. */
  readonly target: string;
  /** Undefined if there is no such file. */
  readonly text: string | undefined;
  /** A byte order mark, which parsers do not want to see. */
  readonly mark: string;
}

const largestBytes = 64 * 1024 * 1024;

export function backupPath({ target }: ConfigFile): string {
  return `${target}.longhaul-backup`;
}

export function readConfigFile(path: string): ConfigFile {
  return explain(path, "read", () => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { path, target: path, text: undefined, mark: "" };
    const target = found.isSymbolicLink() ? realpathSync(path) : path;
    const { size } = statSync(target);
    if (size > largestBytes)
      throw new LonghaulError("too_large", `${path} has ${size} bytes; at most ${largestBytes} can be read.`);
    const text = new globalThis.TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(target));
    const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    return { path, target, mark, text: text.slice(mark.length) };
  });
}

export function readBackup(file: ConfigFile): string | undefined {
  return readConfigFile(backupPath(file)).text;
}

interface WriteOptions {
  /** The permissions of a file that is new. */
  readonly newMode: number;
  readonly makesBackup: boolean;
}

/** Replaces the file in one step; readers see the old or the new one whole. */
export function writeConfigFile(file: ConfigFile, text: string, { newMode, makesBackup }: WriteOptions): void {
  const { path, target, mark } = file;
  explain(path, "written", () => {
    assertUnchanged(file);
    const mode = file.text === undefined ? newMode : statSync(target).mode & 0o7777;
    mkdirSync(dirname(target), { recursive: true });
    if (makesBackup && file.text !== undefined) replace(backupPath(file), mark + file.text, mode);
    replace(target, mark + text, mode);
  });
}

/** Takes the file away, and the folders above it that are empty then, up to `root`. */
export function removeConfigFile(file: ConfigFile, root: string): void {
  explain(file.path, "removed", () => {
    assertUnchanged(file);
    rmSync(file.path);
    for (let folder = dirname(file.path); isInside(folder, root) && isEmpty(folder); folder = dirname(folder)) {
      rmdirSync(folder);
    }
  });
}

function isInside(path: string, root: string): boolean {
  return path.startsWith(`${resolve(root)}${sep}`);
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder).length === 0;
}

export function removeBackup(file: ConfigFile): void {
  explain(backupPath(file), "removed", () => rmSync(backupPath(file), { force: true }));
}

/** Clients write their files too; what they wrote meanwhile must not be lost. */
function assertUnchanged({ path, text }: ConfigFile): void {
  if (readConfigFile(path).text === text) return;
  throw new LonghaulError(
    "conflict",
    `${path} was changed by another program in the meantime: nothing was written, try again.`,
  );
}

function replace(path: string, text: string, mode: number): void {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const handle = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(handle, text);
      // Not left to the umask: the bits of the file that is replaced are kept as they are.
      fchmodSync(handle, mode);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "it is a link to a file that does not exist",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ELOOP: "its links lead in a circle",
  ENOSPC: "the disk is full",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
};

function explain<Result>(path: string, done: "read" | "written" | "removed", act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    const reason = reasons[(error as { code?: string }).code ?? ""] ?? messageOf(error);
    throw new LonghaulError("not_allowed", `${path} cannot be ${done}: ${reason}. Nothing was changed.`, {
      cause: error,
    });
  }
}
