/** The server could not be reached, started or stopped; the message says why. */
export class ServerError extends Error {
  override readonly name = "ServerError";
}

/** The server is newer than this cli, which must not talk to it. */
export class VersionError extends Error {
  override readonly name = "VersionError";
}
