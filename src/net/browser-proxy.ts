import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { targetOf } from "./address-rules.ts";
import { createOpenSocket, type SocketOptions } from "./checked-socket.ts";
import { answerRequest, answerSocket, createRefusalLog, type Answer, type Refusals } from "./proxy-answers.ts";
import { createForwarder } from "./proxy-forward.ts";
import { createTunnels } from "./proxy-tunnels.ts";

export interface BrowserProxyOptions extends SocketOptions {
  /** A tunnel through which nothing comes for so long is ended. */
  readonly idleTimeoutMs: number;
  readonly mostConnections: number;
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
  const tunnels = createTunnels(options);
  const forwarder = createForwarder(openSocket, options);
  const refusals = createRefusalLog();

  const serve = async (
    request: IncomingMessage,
    respond: (answer: Answer) => void,
    proceed: (url: URL) => Promise<void>,
  ): Promise<void> => {
    const isTunnel = request.method === "CONNECT";
    const target = request.url ?? "";
    if (!isKnown(request, password)) return respond({ status: "407 Proxy Authentication Required", message: "" });
    if (tunnels.size() + forwarder.size() >= options.mostConnections) {
      return respond({ status: "503 Service Unavailable", message: "Too many connections at once." });
    }
    try {
      await proceed(options.rules.checkUrl(isTunnel ? `http://${target}` : target));
    } catch (error) {
      respond(refusals.explain(target, error));
    }
  };

  const server = createServer((request, response) => {
    void serve(
      request,
      (answer) => answerRequest(response, answer),
      (url) => forwarder.forward(request, response, url),
    );
  });
  server.on("connect", (request, client, head) => {
    void serve(
      request,
      (answer) => answerSocket(client, answer),
      async (url) => {
        const upstream = await openSocket(targetOf(url));
        client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        tunnels.join(client, upstream, head);
      },
    );
  });
  server.on("upgrade", (request, client, head) => {
    void serve(
      request,
      (answer) => answerSocket(client, answer),
      async (url) => {
        const upstream = await openSocket(targetOf(url));
        upstream.write(forwarder.upgradeHead(request, url));
        tunnels.join(client, upstream, head);
      },
    );
  });
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
      tunnels.close();
      forwarder.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Compared by their digests, which are of one length and take the same time whatever was sent. */
function isKnown({ headers }: IncomingMessage, password: string): boolean {
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return timingSafeEqual(digest(headers["proxy-authorization"] ?? ""), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
