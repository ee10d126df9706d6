import type { AddressRules } from "../address/address-rules.ts";
import { netFailure } from "./net-failure.ts";

export interface Redirect {
  /** Where the server sent us on from. */
  readonly url: string;
  readonly status: number;
  /** From https to http: what follows can be read and changed on its way. */
  readonly isDowngrade: boolean;
}

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: "GET" | "HEAD" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Headers that say nothing about who asks. All others may be secrets, and stay with the origin that they were meant for. */
const headersForAnyone = /^(accept|accept-.*|user-agent|content-type|if-.*|range|cache-control)$/;

export function locationOf(status: number, location: unknown): string | undefined {
  if (!redirectStatuses.has(status) || typeof location !== "string" || location === "") return undefined;
  // Headers are read as Latin-1, while what is not ASCII in them is UTF-8 on the web, to browsers too.
  const text = Buffer.from(location, "latin1").toString();
  return text.includes("\uFFFD") ? location : text;
}

/** The request that a redirect asks for. Its URL has passed the rules like any other. */
export function followRedirect(
  request: OutgoingRequest,
  { status, location }: { status: number; location: string },
  rules: AddressRules,
): OutgoingRequest {
  const url = rules.checkUrl(location, request.url);
  const isSameOrigin = url.origin === request.url.origin;
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => isSameOrigin || headersForAnyone.test(name)),
  );
  const dropsBody = request.method === "POST" && status <= 303;
  if (!dropsBody) return { ...request, url, headers };
  const { "content-type": _type, ...rest } = headers;
  return { url, method: "GET", headers: rest };
}

/** Remembers the way, and ends it when it is too long or comes back to where it was. */
export function createRedirectTrail(maxRedirects: number): {
  readonly redirects: Redirect[];
  readonly add: (from: URL, status: number, to: URL) => void;
} {
  const redirects: Redirect[] = [];
  const seen = new Set<string>();
  return {
    redirects,
    add: (from, status, to) => {
      seen.add(from.href);
      redirects.push({
        url: from.href,
        status,
        isDowngrade: from.protocol === "https:" && to.protocol === "http:",
      });
      if (seen.has(to.href)) {
        throw netFailure("too_many_redirects", `${from.hostname} redirects in a circle.`);
      }
      if (redirects.length > maxRedirects) {
        throw netFailure("too_many_redirects", `${from.hostname} redirects more than ${maxRedirects} times.`);
      }
    },
  };
}
