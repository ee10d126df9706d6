import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { targetOf } from "../address/address-rules.ts";
import { createOpenSocket, type SocketOptions } from "../fetch/checked-socket.ts";
import { answerRequest, answerSocket, createRefusalLog, type Answer, type Refusals } from "./proxy-answers.ts";
import { createForwarder } from "./proxy-forward.ts";

export interface BrowserProxyOptions extends SocketOptions {
  /** A tunnel through which nothing comes for so long is ended. */
  readonly idleTimeoutMs: number;
  readonly maxConnections: number;
}

/** In the words of Playwright's `proxy` option, so that it can be handed on as it is. */
export interface BrowserProxy {
  readonly server: string;
  readonly username: string;
  readonly password: string;
  readonly refusals: () => Refusals;
  /** Ends every connection. */
  readonly close: () => Promise<void>;
}

/** What Chromium needs besides the proxy, so that nothing goes around it: WebRTC and QUIC would send packets of their own. */
export const guardedBrowserArguments: readonly string[] = [
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--dns-prefetch-disable",
];

const username = "longhaul";

/** The way out for a browser: the rules of every other request, for whatever a page makes the browser connect to. */
export async function startBrowserProxy(options: BrowserProxyOptions): Promise<BrowserProxy> {
  const password = randomBytes(24).toString("base64url");
  const openSocket = createOpenSocket(options);
  const forwarder = createForwarder(openSocket, options);
  const refusals = createRefusalLog();
  const active = new Set<Duplex | ServerResponse>();

  const serve = async ({ request, client, respond, proceed }: Serving): Promise<void> => {
    client.on("error", () => client.destroy());
    const target = request.url ?? "";
    if (!isKnown(request, password)) return respond({ status: "407 Proxy Authentication Required", message: "" });
    if (active.size >= options.maxConnections) {
      return respond({ status: "503 Service Unavailable", message: "Too many connections at once." });
    }
    active.add(client);
    client.once("close", () => active.delete(client));
    try {
      await proceed(options.rules.checkUrl(request.method === "CONNECT" ? `http://${target}` : target));
    } catch (error) {
      respond(refusals.explain(target, error));
    }
  };
  const tunnel = (request: IncomingMessage, client: Duplex, head: Buffer): void => {
    const proceed = async (url: URL): Promise<void> => {
      const isConnect = request.method === "CONNECT";
      const upgrade = isConnect ? "" : forwarder.upgradeHead(request, url);
      const upstream = await openSocket(targetOf(url));
      if (isConnect) client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(upgrade);
      upstream.write(head);
      joinTunnel(client, upstream, options.idleTimeoutMs);
    };
    void serve({ request, client, respond: (answer) => answerSocket(client, answer), proceed });
  };

  const server = createServer((request, response) => {
    const proceed = (url: URL): Promise<void> => forwarder.forward(request, response, url);
    void serve({ request, client: response, respond: (answer) => answerRequest(response, answer), proceed });
  });
  server.on("connect", tunnel).on("upgrade", tunnel);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username,
    password,
    refusals: refusals.read,
    close: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const client of active) client.destroy();
      forwarder.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Serving {
  readonly request: IncomingMessage;
  readonly client: Duplex | ServerResponse;
  readonly respond: (answer: Answer) => void;
  readonly proceed: (url: URL) => Promise<void>;
}

/** Carries bytes both ways until one side ends. */
function joinTunnel(client: Duplex, upstream: Socket, idleTimeoutMs: number): void {
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  // Bytes of either direction pass through this socket, so its quiet is the tunnel's.
  upstream.setTimeout(idleTimeoutMs, end);
  client.once("close", end);
  upstream.once("close", end);
  client.pipe(upstream);
  upstream.pipe(client);
  if (client.destroyed) end();
}

/** Compared by their digests, which are of one length and take the same time whatever was sent. */
function isKnown({ headers }: IncomingMessage, password: string): boolean {
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return timingSafeEqual(digest(headers["proxy-authorization"] ?? ""), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
