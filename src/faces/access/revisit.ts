import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Gatekeeper } from "./gatekeeper.ts";

const everyMs = 5_000;

/** Looks again and again at who has an answer open (an event stream, a wait), and hangs up on those who would not be let in any more. */
export function revisitReaders(server: Server, gatekeeper: Pick<Gatekeeper, "isWelcome">, intervalMs = everyMs): void {
  const open = new Map<ServerResponse, IncomingMessage>();
  server.on("request", (request, response) => {
    if (request.headers.authorization === undefined) return;
    open.set(response, request);
    response.once("close", () => open.delete(response));
  });
  const look = async ([response, request]: [ServerResponse, IncomingMessage]): Promise<void> => {
    if (!(await gatekeeper.isWelcome(request))) response.destroy();
  };
  // Where it cannot be found out, nothing is taken from anybody.
  const timer = setInterval(() => void Promise.allSettled([...open].map(look)), intervalMs);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}
