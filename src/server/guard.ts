import { createHash, timingSafeEqual } from "node:crypto";
import type { RequestListener } from "node:http";

/** Lets a request through only with the token, and only if it was meant for this machine. */
export function guardByToken(token: string, handler: RequestListener): RequestListener {
  const expected = digest(`Bearer ${token}`);
  return (request, response) => {
    if (!isLoopbackHost(request.headers.host) || request.headers.origin !== undefined) {
      refuse(response, 403, "This address serves programs on this machine only.");
    } else if (!timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) {
      refuse(response, 401, "Send the token from the file `token` in Longhaul's folder: Authorization: Bearer …");
    } else handler(request, response);
  };
}

/** Digests have one length, so comparing them tells nothing about the token's. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function isLoopbackHost(host: string | undefined): boolean {
  const name = (host ?? "").replace(/:\d+$/, "");
  return name === "127.0.0.1" || name === "localhost" || name === "[::1]";
}

function refuse(response: Parameters<RequestListener>[1], status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code: "not_allowed", message } }));
}
