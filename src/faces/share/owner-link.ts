import { connect, type Socket } from "node:net";
import type { Job } from "../../job/job.ts";
import { LonghaulError } from "../../job/error.ts";
import { BrokenCallError, createPoster, NotRunningError } from "../door/local-client.ts";
import { shareProtocol, type OwnerFacts } from "./engine-entrance.ts";
import type { RemoteMethod } from "./engine-methods.ts";
import { pack, unpack, type Packed } from "./packed.ts";

/** A process's line to the one that owns the home. */
export interface OwnerLink {
  readonly owner: OwnerFacts;
  readonly call: (method: RemoteMethod, args: readonly unknown[], signal?: AbortSignal) => Promise<unknown>;
  /** Resolves when the owner has ended, or let go of the home. */
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** Undefined if nobody listens on the socket, or who listened has just ended. */
export async function linkToOwner(socket: string, onFinished: (job: Job) => void): Promise<OwnerLink | undefined> {
  const life = await openLife(socket, onFinished);
  if (life === undefined) return undefined;
  const { owner, ended, close } = life;
  if (owner.protocol !== shareProtocol) {
    close();
    throw new LonghaulError(
      "store_in_use",
      `Process ${owner.pid} (${owner.program}) runs the jobs here with Longhaul ${owner.version}, with which this version cannot work together: end that process, or use the same version.`,
    );
  }
  const post = createPoster(socket);
  const call: OwnerLink["call"] = async (method, args, signal) =>
    unpack(await post<Packed>(`/engine/${method}`, { args: args.map(pack) }, signal));
  return { owner, call, ended, close };
}

/** The call broke off: its process has ended, or is about to. */
export function isBroken(error: unknown): boolean {
  if (error instanceof BrokenCallError || error instanceof NotRunningError) return true;
  return error instanceof LonghaulError && error.code === "stopped";
}

interface Life {
  readonly owner: OwnerFacts;
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** A machine that is overloaded takes seconds; one that is asked to answer and does not is taken for dead. */
const patienceMs = 15_000;

function openLife(path: string, onFinished: (job: Job) => void): Promise<Life | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    const ended = new Promise<void>((resolveEnd) => {
      socket.once("close", () => resolveEnd());
    });
    const timer = setTimeout(() => socket.destroy(), patienceMs);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    socket.on("error", () => undefined);
    const close = (): void => void socket.destroy();
    const onLine = (line: string): void => {
      const { owner, finished } = JSON.parse(line) as { owner?: OwnerFacts; finished?: Job };
      if (finished !== undefined) onFinished(finished);
      if (owner === undefined) return;
      clearTimeout(timer);
      resolve({ owner, ended, close });
    };
    readLines(socket, onLine, (status) => {
      reject(notShared(status));
      socket.destroy();
    });
    socket.write(`POST /engine/life HTTP/1.0\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n`);
  });
}

function readLines(socket: Socket, onLine: (line: string) => void, onRefusal: (status: string) => void): void {
  let text = "";
  let isInBody = false;
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (!isInBody) {
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const status = text.split(" ", 2)[1] ?? "";
      if (status !== "200") return onRefusal(status);
      isInBody = true;
      text = text.slice(headEnd + 4);
    }
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onLine(line);
  });
}

/** A stopping owner answers with 503: the next one is found when this one has gone. */
function notShared(status: string): Error {
  if (status === "503") return new BrokenCallError("The process that runs the jobs is about to end.");
  return new LonghaulError(
    "store_in_use",
    "The folder belongs to a Longhaul server, which does not share it with programs: stop the server, or choose another folder.",
  );
}
