import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../job/error.ts";
import { countText } from "../../text/count-text.ts";

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
          `The command does not read its input: ${countText(rest.length, "byte")} could not be written.`,
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
