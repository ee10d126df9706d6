import type { Socket } from "node:net";
import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";

/**
 * The first line that a front sends: which version it is, and where its client stands. The server answers with one line of its own,
 * `{"welcome":…}` or `{"refused":"…"}`, before anything else.
 */
const helloSchema = z.object({
  hello: z.object({
    version: z.string().max(100),
    /** Which profiles its client wants, if not the one of the socket. */
    profiles: z.string().max(500).optional(),
    cwd: z.string().startsWith("/"),
    env: z.record(z.string(), z.string()),
  }),
});

export type Hello = z.output<typeof helloSchema>["hello"];

/** An environment is at most 2 MB on Linux; as JSON it may take more. */
const maxHelloBytes = 8_000_000;
const helloTimeoutMs = 10_000;
const newline = 0x0a;

/** Reads the first line and leaves the rest unread. The socket must not have been read from before; it is paused afterwards. */
export async function readHello(socket: Socket): Promise<Hello> {
  const line = await readFirstLine(socket);
  try {
    return helloSchema.parse(JSON.parse(line)).hello;
  } catch (error) {
    throw new LonghaulError("invalid_input", "The first line from a front must say hello.", { cause: error });
  }
}

function readFirstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (act: () => void): void => {
      clearTimeout(timer);
      socket.pause();
      socket.off("data", take).off("close", hangUp);
      act();
    };
    const fail = (message: string): void => end(() => reject(new LonghaulError("invalid_input", message)));
    const hangUp = (): void => fail("The front hung up before it had said hello.");
    const timer = setTimeout(() => fail("The front did not say hello in time."), helloTimeoutMs);
    const take = (chunk: Buffer): void => {
      const at = chunk.indexOf(newline);
      chunks.push(at === -1 ? chunk : chunk.subarray(0, at));
      bytes += chunk.length;
      if (at === -1 && bytes > maxHelloBytes) fail("The front's first line is too long.");
      if (at === -1) return;
      end(() => {
        if (at + 1 < chunk.length) socket.unshift(chunk.subarray(at + 1));
        resolve(Buffer.concat(chunks).toString());
      });
    };
    socket.on("data", take).once("close", hangUp).resume();
  });
}
