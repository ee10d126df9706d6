import { createClient, NotRunningError } from "../local/client.ts";
import type { StatusAnswer } from "./answers.ts";
import type { Front } from "./front.ts";

/** What the running server says of itself, whatever its version; undefined if none runs. Starts none. */
export async function askServer({ environment }: Pick<Front, "environment">): Promise<StatusAnswer | undefined> {
  try {
    return await createClient(environment.paths.socket).call<StatusAnswer>("server_status");
  } catch (error) {
    if (error instanceof NotRunningError) return undefined;
    throw error;
  }
}
