import { Agent, request as sendRequest } from "node:http";
import type { ClientRequestArgs, IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";
import { targetOf } from "../address/address-rules.ts";
import type { OpenSocket } from "../fetch/checked-socket.ts";
import { netFailure, toNetFailure } from "../fetch/net-failure.ts";

export interface Forwarder {
  /** Carries out a request for an absolute http URL; rejects when no response has come. */
  readonly forward: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;
  /** The head of an upgrade request, as the server is to see it. */
  readonly upgradeHead: (request: IncomingMessage, url: URL) => string;
  readonly close: () => void;
}

/** Between browser and proxy only. */
const hopHeaders = new Set(["proxy-authorization", "proxy-connection", "connection", "keep-alive", "te", "trailer"]);

export function createForwarder(
  openSocket: OpenSocket,
  { idleTimeoutMs }: { readonly idleTimeoutMs: number },
): Forwarder {
  const agent = new CheckedAgent(openSocket);
  return {
    forward: async (request, response, url) => {
      requireHttp(url);
      try {
        await carry(request, response, { url, agent, idleTimeoutMs });
      } catch (error) {
        throw toNetFailure(error, url.hostname);
      }
    },
    upgradeHead: (request, url) => {
      requireHttp(url);
      const headers = Object.entries(request.headers).filter(([name]) => !hopHeaders.has(name) && name !== "host");
      const lines = headers.map(([name, value]) => `${name}: ${String(value)}`);
      const first = `${request.method} ${url.pathname}${url.search} HTTP/1.1`;
      return `${[first, `host: ${url.host}`, "connection: Upgrade", ...lines].join("\r\n")}\r\n\r\n`;
    },
    close: () => agent.destroy(),
  };
}

/** Https goes through a tunnel; asked for openly it would be read and written in the clear. */
function requireHttp(url: URL): void {
  if (url.protocol !== "http:") throw netFailure("bad_url", "Only http URLs are forwarded: use CONNECT for https.");
}

class CheckedAgent extends Agent {
  readonly #openSocket: OpenSocket;

  constructor(openSocket: OpenSocket) {
    super({ keepAlive: true, maxSockets: 32 });
    this.#openSocket = openSocket;
  }

  /** Node takes the socket through the callback when none is returned. */
  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const target = { hostname: host ?? "", port: Number(port) };
    if (done !== undefined) callbackify(this.#openSocket)(target, done);
  }
}

interface Carrying {
  readonly url: URL;
  readonly agent: Agent;
  readonly idleTimeoutMs: number;
}

function carry(
  request: IncomingMessage,
  response: ServerResponse,
  { url, agent, idleTimeoutMs }: Carrying,
): Promise<void> {
  const { hostname: host, port } = targetOf(url);
  return new Promise((resolve, reject) => {
    const headers = { ...endToEnd(request.headers), host: url.host };
    const outgoing = sendRequest({
      agent,
      host,
      port,
      method: request.method,
      path: url.pathname + url.search,
      headers,
    });
    outgoing.setTimeout(idleTimeoutMs, () =>
      outgoing.destroy(netFailure("timed_out", `${host} did not answer in time.`)),
    );
    outgoing.once("error", reject);
    outgoing.once("close", () => reject(netFailure("bad_response", `${host} ended without an answer.`)));
    outgoing.once("response", (incoming) => {
      try {
        response.writeHead(incoming.statusCode ?? 502, endToEnd(incoming.headers));
      } catch {
        // A status or header that Node reads but does not write.
        return outgoing.destroy(netFailure("bad_response", `${host} sent a response that is not valid.`));
      }
      incoming.once("error", () => response.destroy());
      return incoming.pipe(response);
    });
    request.once("error", () => outgoing.destroy());
    response.once("close", () => {
      outgoing.destroy();
      resolve();
    });
    request.pipe(outgoing);
  });
}

function endToEnd(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> {
  const named = String(headers["connection"] ?? "").toLowerCase();
  const isHop = (name: string): boolean => hopHeaders.has(name) || named.split(/\s*,\s*/).includes(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isHop(name)));
}
