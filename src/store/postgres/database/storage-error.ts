import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";

/** Where a store is, as it may be told: never with the password. */
export interface DatabasePlace {
  readonly host: string;
  readonly database: string;
  readonly user: string;
}

/** Turns what Postgres or the way to it throws into one sentence; other errors pass unchanged. */
export function toStorageError(error: unknown, { host, database, user }: DatabasePlace): unknown {
  if (error instanceof LonghaulError) return error;
  const say = (code: "unavailable" | "storage_failed" | "storage_full", message: string): LonghaulError =>
    new LonghaulError(code, message, { cause: error });
  const code = codeOf(error);
  if (isUnreachable(error)) {
    return say(
      "unavailable",
      `Postgres at ${host} cannot be reached (${reasonOf(error)}): start it, or correct the address of the store.`,
    );
  }
  if (isUntrusted(error)) {
    return say(
      "storage_failed",
      `Postgres at ${host} cannot be trusted (${messageOf(error)}): name the file with the certificates of whoever signed its own in store.ca_file or LONGHAUL_STORE_CA.`,
    );
  }
  if (/does not support SSL/.test(messageOf(error))) {
    return say(
      "storage_failed",
      `Postgres at ${host} does not encrypt connections, though its address asks for that: switch its ssl on, or leave sslmode and the certificates out.`,
    );
  }
  switch (code) {
    case "28P01":
    case "28000":
      return say(
        "storage_failed",
        `Postgres at ${host} refuses the user "${user}": correct the user and password in the address of the store.`,
      );
    case "3D000":
      return say(
        "storage_failed",
        `Postgres at ${host} has no database "${database}": create it, or correct the address of the store.`,
      );
    case "42501":
      return say(
        "storage_failed",
        `The user "${user}" lacks a right in the database "${database}" (${messageOf(error)}): run GRANT CREATE ON DATABASE "${database}" TO "${user}", or make the store's schemas for it.`,
      );
    case "53100":
      return say(
        "storage_full",
        "The disk of Postgres is full: nothing of this call was stored. Free some space and try again.",
      );
    case "53300":
      return say(
        "unavailable",
        `Postgres at ${host} has no connection left: raise its max_connections, or start fewer servers and workers.`,
      );
    case undefined:
      return error;
    default:
      return say("storage_failed", `Postgres refused a statement: ${messageOf(error)} (${code}).`);
  }
}

/** The same call may do once Postgres is there again; of a commit on its way nobody knows. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined)
    return /^(ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET|ENOTFOUND$|EAI_|ENOENT$|EACCES$|08|57P0)/.test(code);
  return /^(Connection terminated|timeout expired|timeout exceeded|Client (has encountered|was closed)|Query read timeout)/.test(
    messageOf(error),
  );
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function isUntrusted(error: unknown): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS|ERR_SSL/.test(codeOf(error) ?? "");
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? messageOf(error);
}
