import { createHash } from "node:crypto";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server, ServerOptions, ServerResponse } from "node:http";
import { userInfo } from "node:os";
import type { LoadedConfig } from "../../config/config.ts";
import { messageOf } from "../../job/failure.ts";
import { LonghaulError } from "../../job/error.ts";

/**
 * Idle connections are kept longer than clients keep them (a minute at max), so that none is closed just when it is used again, and
 * one that was opened and not used yet likewise. A client that is slow to send its request is not waited for.
 */
export const patience: ServerOptions = {
  keepAliveTimeout: 75_000,
  headersTimeout: 80_000,
  requestTimeout: 90_000,
  connectionsCheckingInterval: 5_000,
};

/** Below the ports that systems give to outgoing connections, which could be in use by chance. */
const firstPort = 10_000;
const portCount = 20_000;
const maxTries = 20;

/**
 * Listens for HTTP on the configured port, or on the one of this home: addresses that clients were given must lead to the same server
 * after a restart, and never to that of another home or user. So a home has a port of its own, made from its path and its user, and
 * keeps the one that it got.
 */
export async function listenForHttp(
  server: Server,
  config: LoadedConfig,
  warn: (message: string) => void,
): Promise<void> {
  const { host, port } = config.server;
  if (port !== undefined) return listenOnConfigured(server, host, port);
  const { home, port: file } = config.paths;
  const remembered = readPort(file);
  const candidates = [...(remembered === undefined ? [] : [remembered]), ...ownPorts(home)];
  for (const candidate of candidates) {
    if (!(await isListening(server, host, candidate))) continue;
    if (candidate === remembered) return;
    if (remembered !== undefined) warn(`port ${remembered} is taken; this home has port ${candidate} from now on`);
    writeFileSync(file, String(candidate), { mode: 0o600 });
    return;
  }
  throw new LonghaulError(
    "conflict",
    `${maxTries} ports on ${host} are taken: choose one with LONGHAUL_PORT or --port.`,
  );
}

async function listenOnConfigured(server: Server, host: string, port: number): Promise<void> {
  try {
    await listen(server, { host, port });
  } catch (error) {
    const why = isTaken(error) ? "is in use by another program" : `cannot be listened on (${messageOf(error)})`;
    throw new LonghaulError(
      "conflict",
      `Port ${port} on ${host} ${why}: choose another with LONGHAUL_PORT, --port or server.port, or none, and this home gets one of its own.`,
      { cause: error },
    );
  }
}

/** False if somebody else has the port. */
async function isListening(server: Server, host: string, port: number): Promise<boolean> {
  try {
    await listen(server, { host, port });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw new LonghaulError("conflict", `The server cannot listen on ${host}: ${messageOf(error)}.`, { cause: error });
  }
}

function ownPorts(home: string): number[] {
  return Array.from({ length: maxTries }, (_, round) => {
    const digest = createHash("sha256").update(`${userInfo().uid}\n${home}\n${round}`).digest();
    return firstPort + (digest.readUInt32BE() % portCount);
  });
}

function readPort(file: string): number | undefined {
  try {
    const port = Number(readFileSync(file, "utf8"));
    return Number.isInteger(port) && port >= 1_024 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever owns the database is the server, so a socket that is there was left by one that died. Its file is for this user alone. */
export async function listenLocally(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  await listen(server, { path });
  chmodSync(path, 0o600);
}

function listen(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
}

/** For answers that are under way. Longer waits are cut off: a client of a stopping server must not wait for ever. */
const defaultGraceMs = 500;

/**
 * Follows a server's answers, so that it can be closed without cutting one off: idle connections are closed at once, answers that
 * have not begun say that theirs is closed after them, and what is left when the grace time has passed is ended.
 */
export function createCloser(server: Server, graceMs = defaultGraceMs): () => Promise<void> {
  const answering = new Set<ServerResponse>();
  let isStopping = false;
  server.prependListener("request", (_request, response: ServerResponse) => {
    if (isStopping) response.setHeader("connection", "close");
    answering.add(response);
    response.once("close", () => {
      answering.delete(response);
      if (isStopping) setImmediate(() => server.closeIdleConnections());
    });
  });
  return async () => {
    isStopping = true;
    for (const response of answering) if (!response.headersSent) response.setHeader("connection", "close");
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  };
}
