import type { IncomingHttpHeaders } from "node:http";
import type { OpenedSession, ShownSession } from "../../engine/sessions.ts";

/** Has the id and the secret: `ID.SECRET`. */
export const sessionHeader = "x-longhaul-session";

const shown = /^([0-9a-f]{12})\.([\w-]{43})$/;

/**
 * The session that a page of this server shows: half of it is a cookie, which browsers send to every port of the host, half a header
 * that only a page of this very origin can set. Requests that a page of another origin makes have none.
 */
export function readSession(headers: IncomingHttpHeaders): ShownSession | undefined {
  const header = headers[sessionHeader];
  if (typeof header !== "string" || headers["sec-fetch-site"] !== "same-origin") return undefined;
  const [, id = "", secret = ""] = shown.exec(header) ?? [];
  const name = `${cookieName(id)}=`;
  const cookie = headers.cookie?.split("; ").find((text) => text.startsWith(name));
  return cookie === undefined ? undefined : { id, secret, cookie: cookie.slice(name.length) };
}

export function writeCookie({ id, cookie }: OpenedSession, maxAgeSeconds: number, isSecure: boolean): string {
  const end = isSecure ? "; Secure" : "";
  return `${cookieName(id)}=${cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSeconds}${end}`;
}

/** One name each: servers on other ports of the host share its cookies. */
function cookieName(id: string): string {
  return `longhaul_${id}`;
}
