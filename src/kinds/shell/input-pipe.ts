import { execFile } from "node:child_process";
import { constants, renameSync } from "node:fs";
import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { LonghaulError } from "../../job/error.ts";

const run = promisify(execFile);
const pipesAtOnce = 100;

/**
 * Named pipes for the standard input of commands. A pipe outlives the server, so a command that was adopted can still
 * be written to. They are made many at a time, because making one costs a process.
 */
export class InputPipes {
  readonly #folder: string;
  #ready: string[] = [];
  #making: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Moves a new pipe to this path. */
  async place(path: string): Promise<void> {
    let pipe = this.#ready.pop();
    while (pipe === undefined) {
      this.#making ??= this.#make().finally(() => {
        this.#making = undefined;
      });
      await this.#making;
      pipe = this.#ready.pop();
    }
    renameSync(pipe, path);
  }

  /** Removes the pipes that nobody took, also those of servers that died. */
  async close(): Promise<void> {
    this.#ready = [];
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #make(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const place = await mkdtemp(join(this.#folder, "pipes-"));
    const paths = Array.from({ length: pipesAtOnce }, (_, index) => join(place, String(index)));
    await run("mkfifo", ["-m", "600", ...paths]);
    this.#ready.push(...paths);
  }
}

const patienceMs = 5_000;

/** Writes all of the text, or says why not. The pipe's reader is the command itself, so nothing passes through us later. */
export async function writeToPipe(path: string, text: string): Promise<void> {
  const pipe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new LonghaulError("conflict", "The command's input is closed.", { cause: error });
  });
  try {
    let rest = Buffer.from(text);
    const giveUpAt = performance.now() + patienceMs;
    while (rest.length > 0) {
      const written = await tryWrite(pipe, rest);
      rest = rest.subarray(written);
      if (written > 0) continue;
      if (performance.now() > giveUpAt) {
        throw new LonghaulError(
          "conflict",
          `The command does not read its input: ${rest.length} bytes were not taken.`,
        );
      }
      await delay(20);
    }
  } finally {
    await pipe.close();
  }
}

async function tryWrite(pipe: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<number> {
  try {
    return (await pipe.write(bytes)).bytesWritten;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return 0;
    throw error;
  }
}
