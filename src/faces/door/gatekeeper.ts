import type { IncomingHttpHeaders } from "node:http";
import type { Actor } from "../../engine/access.ts";
import type { Admission, Admit, Entry, Refusal } from "./admission.ts";
import { createAddressSet, isLoopbackAddress } from "./addresses.ts";
import { readSession } from "./session-cookie.ts";
import { createHostRules, findAmbiguity, type HostRules } from "./host-rules.ts";

export interface GatekeeperParts extends HostRules {
  readonly admit: Admit;
  /** Addresses and subnets of reverse proxies: only they are believed about what they hand on. */
  readonly trustedProxies?: readonly string[];
}

/** The part of a request of `node:http` that matters at the door. */
export interface Visit {
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders?: readonly string[];
  readonly url?: string;
  readonly socket: { readonly remoteAddress?: string };
}

/** Decides who comes in: every request that arrives over the network passes here first. */
export interface Gatekeeper {
  /** Refuses a request that was not meant for this address, or that a foreign web page makes; all that is asked of who needs no token. */
  readonly checkHostAndOrigin: (visit: Visit) => Refusal | undefined;
  /** Says who asks; refuses what `checkHostAndOrigin` does, too. */
  readonly admit: (visit: Visit, entry: Entry) => Promise<Admission>;
}

const bearerToken = /^Bearer +(\S+) *$/i;
const bareToken = /^(?:Bearer +)?(\S+) *$/i;

export function createGatekeeper({ admit, trustedProxies = [], ...rules }: GatekeeperParts): Gatekeeper {
  const findFault = createHostRules(rules);
  const isTrusted = createAddressSet(trustedProxies);
  const checkHostAndOrigin = (visit: Visit, { host, protocol }: Sight): Refusal | undefined => {
    const ambiguity = findAmbiguity(visit.url, visit.rawHeaders);
    if (ambiguity !== undefined) return { status: 400, message: ambiguity };
    const message = findFault({ host, protocol, origin: visit.headers.origin });
    return message === undefined ? undefined : { status: 403, message };
  };
  return {
    checkHostAndOrigin: (visit) => checkHostAndOrigin(visit, seeThroughProxy(visit, isTrusted)),
    admit: async (visit, entry) => {
      const sight = seeThroughProxy(visit, isTrusted);
      const refusal = checkHostAndOrigin(visit, sight);
      if (refusal !== undefined) return { refusal };
      const form = entry.takesBareToken === true ? bareToken : bearerToken;
      const [, token] = form.exec(visit.headers.authorization ?? "") ?? [];
      const session = token === undefined ? readSession(visit.headers) : undefined;
      return admit({ ...entry, isLocal: sight.isLocal, token, ...(session === undefined ? {} : { session }) });
    },
  };
}

/** For who stands at a door that only they can reach. Who shows a token there is whom the token stands for, and no more. */
export function createOwnGatekeeper(actor: Actor, admitToken: (token: string) => Admission): Gatekeeper {
  return {
    checkHostAndOrigin: () => undefined,
    admit: async ({ headers }) => {
      const [, token] = bearerToken.exec(headers.authorization ?? "") ?? [];
      return token === undefined ? { actor } : admitToken(token);
    },
  };
}

interface Sight {
  readonly host: string | undefined;
  readonly protocol: "http" | "https";
  readonly isLocal: boolean;
}

/** Each tells that somebody handed the request on. */
const forwardingHeaders = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * What the request was before a trusted proxy handed it on; from anybody else the forwarding headers are not believed. What was
 * handed on, by whomever, never counts as from this machine: many proxies pass on what a stranger has written into these headers.
 */
function seeThroughProxy({ headers, socket }: Visit, isTrusted: (address: string) => boolean): Sight {
  const peer = socket.remoteAddress ?? "";
  if (isTrusted(peer)) {
    return {
      host: last(headers["x-forwarded-host"]) ?? headers.host,
      protocol: last(headers["x-forwarded-proto"]) === "https" ? "https" : "http",
      isLocal: false,
    };
  }
  const wasForwarded = forwardingHeaders.some((name) => headers[name] !== undefined);
  return { host: headers.host, protocol: "http", isLocal: isLoopbackAddress(peer) && !wasForwarded };
}

/** What the nearest proxy has added: strangers may have written what stands before. */
function last(header: string | string[] | undefined): string | undefined {
  return header?.toString().split(",").at(-1)?.trim();
}
