import { LonghaulError } from "../../../job/error.ts";
import { BrokenCallError, createClient, NotRunningError, type Client } from "../../door/local-client.ts";
import type { CliContext } from "../cli-context.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { createVersionCheck } from "./version-check.ts";

export type ConnectParts = Pick<CliContext, "environment" | "program" | "version" | "screen">;

/** If the connection breaks in one of these, nobody knows whether it happened, and doing it again is no way to find out. */
const onceOnly: ReadonlySet<string> = new Set([
  "job_send",
  "job_answer",
  "job_retry",
  "job_delete",
  "schedule_add",
  "schedule_delete",
]);
const maxRepeats = 50;
const repeatAfterMs = 100;

/**
 * A client for commands: starts a server if none runs, has an older one replaced, refuses to talk to a newer one, and
 * makes calls again that a stopping or dying server left without an answer.
 */
export function connect(parts: ConnectParts): Client {
  const start = createStart(parts);
  const version = createVersionCheck(parts, start);

  const sendOnce = async <Output>(send: (client: Client) => Promise<Output>, isSecond = false): Promise<Output> => {
    let answeredBy: string | undefined;
    const client = createClient(parts.environment.paths.socket, {
      context: parts.environment.clientContext,
      onVersion: (serverVersion) => {
        answeredBy = serverVersion;
      },
    });
    try {
      const output = await send(client);
      await version.check(answeredBy);
      return output;
    } catch (error) {
      // What an older server does not know may be known to the one that replaces it.
      const isReplaced = error instanceof LonghaulError && (await version.check(answeredBy));
      if (isReplaced && !isSecond) return sendOnce(send, true);
      throw error;
    }
  };

  const sendUntilAnswered = async <Output>(
    operation: string,
    input: object,
    signal: AbortSignal | undefined,
    send: (client: Client) => Promise<Output>,
  ): Promise<Output> => {
    await version.checkBefore();
    for (let repeats = 0; ; repeats++) {
      try {
        return await sendOnce(send);
      } catch (error) {
        if (signal?.aborted === true || repeats >= maxRepeats) throw error;
        if (error instanceof NotRunningError) await start();
        else if (isBroken(error) && isRepeatable(operation, input)) await delay(repeatAfterMs);
        else throw error;
      }
    }
  };

  return {
    call: (operation, input, signal) =>
      sendUntilAnswered(operation, input, signal, (client) => client.call(operation, input, signal)),
    callWithContext: (operation, input, signal) =>
      sendUntilAnswered(operation, input, signal, (client) => client.callWithContext(operation, input, signal)),
    start: (verb, input) => sendUntilAnswered(verb, input, undefined, (client) => client.start(verb, input)),
  };
}

/** Loads the code for it only now, because most commands find a server; calls at the same time share one start. */
function createStart(parts: ConnectParts): () => Promise<void> {
  let starting: Promise<void> | undefined;
  return () => {
    starting ??= import("./start-server.ts")
      .then(({ startServer }) => startServer(parts))
      .finally(() => {
        starting = undefined;
      });
    return starting;
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** What is sent with an offset counts once. */
function isRepeatable(operation: string, input: object): boolean {
  return !onceOnly.has(operation) || (operation === "job_send" && "offset" in input);
}

/** The server ended before it answered, or is about to end. */
function isBroken(error: unknown): boolean {
  return error instanceof BrokenCallError || (error instanceof LonghaulError && error.code === "stopped");
}

/** What the running server says of itself, whatever its version; undefined if none runs. Starts none. */
export async function askServer({
  environment,
}: Pick<CliContext, "environment">): Promise<AnswerOf<"server_status"> | undefined> {
  try {
    return await createClient(environment.paths.socket).call("server_status", {});
  } catch (error) {
    if (error instanceof NotRunningError) return undefined;
    throw error;
  }
}
