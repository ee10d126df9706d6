import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import type { AnswerOf, InputOf } from "../../../operations/registry.ts";
import { createClient } from "../../door/local-client.ts";
import type { CliContext } from "../cli-context.ts";
import { ServerError } from "./server-error.ts";

type InsideOperation = "attempt_progress" | "attempt_ask" | "attempt_artifact";

/** Calls the server for the job that this program runs in. It starts none: a command has not the variables that a server needs. */
export interface InsideClient {
  /** `isPatient`: waits for a server that has gone for as long as it takes, instead of half a minute. */
  readonly call: <Name extends InsideOperation>(
    operation: Name,
    input: InputOf<Name>,
    options?: { readonly isPatient?: boolean; readonly maxMs?: number },
  ) => Promise<AnswerOf<Name>>;
}

const patienceMs = 30_000;
const repeatAfterMs = 250;

export function connectInside({ environment }: Pick<CliContext, "environment">, command: string): InsideClient {
  const token = environment.variable("LONGHAUL_JOB_TOKEN") ?? "";
  const address = environment.variable("LONGHAUL_JOB_SOCKET") || environment.variable("LONGHAUL_JOB_URL") || "";
  if (token === "" || address === "") throw outsideError(command);
  const client = createClient(address, { token });
  return {
    call: async (operation, input, { isPatient = false, maxMs = patienceMs } = {}) => {
      const giveUpAt = performance.now() + patienceMs;
      for (;;) {
        try {
          return await client.call(operation, input, AbortSignal.timeout(maxMs));
        } catch (error) {
          if (isFinal(error)) throw toOwnError(error);
          if (!isPatient && performance.now() > giveUpAt) throw unreachable(address, error);
          await delay(repeatAfterMs);
        }
      }
    },
  };
}

function outsideError(command: string): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    `\`longhaul ${command}\` acts on the job that runs it, and this is none (LONGHAUL_JOB_TOKEN is not set): use it in a command that Longhaul runs, such as \`longhaul run -- ./build.sh\`.`,
  );
}

/** The server has answered, and would answer the same again. */
function isFinal(error: unknown): error is LonghaulError {
  return error instanceof LonghaulError && error.code !== "stopped";
}

/** Whose attempt has ended is refused at the door, which is no code of an operation's. */
function toOwnError(error: LonghaulError): LonghaulError {
  const isRefused = (error.code as string) === "unauthorized";
  return isRefused ? new LonghaulError("not_allowed", error.message, { cause: error }) : error;
}

function unreachable(address: string, cause: unknown): ServerError {
  const why = address.startsWith("http:") ? ": it has stopped, or this command has no network" : "";
  return new ServerError(`The Longhaul server does not answer at ${address}${why}.`, { cause });
}
