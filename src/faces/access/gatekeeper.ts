import type { IncomingHttpHeaders } from "node:http";
import type { Admission, Admit, Credentials, Refusal } from "../admission.ts";
import { createAddressSet, isLoopbackAddress } from "./addresses.ts";
import { createHostRules, type HostRules } from "./host-rules.ts";

export interface GatekeeperParts extends HostRules {
  readonly admit: Admit;
  /** Addresses and subnets of reverse proxies: only they are believed about what they hand on. */
  readonly trustedProxies?: readonly string[];
}

/** The part of a request of `node:http` that matters at the door. */
export interface Visit {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Decides who comes in: every request that arrives over the network passes here first. */
export interface Gatekeeper {
  /** Refuses a request that was not meant for this address, or that a foreign web page makes; all that is asked of who needs no token. */
  readonly turnAway: (visit: Visit) => Refusal | undefined;
  /** Says who asks; refuses what `turnAway` does, too. */
  readonly admit: (visit: Visit, door: string) => Promise<Admission>;
  /** Whether who was let in would be let in again. */
  readonly isWelcome: (visit: Visit) => Promise<boolean>;
}

export function createGatekeeper({ admit, trustedProxies = [], ...rules }: GatekeeperParts): Gatekeeper {
  const misled = createHostRules(rules);
  const isTrusted = createAddressSet(trustedProxies);
  const turnAway = (visit: Visit, { host, protocol }: Sight): Refusal | undefined => {
    const message = misled({ host, protocol, origin: visit.headers.origin });
    return message === undefined ? undefined : { status: 403, message };
  };
  const look = async (visit: Visit, how: Pick<Credentials, "door" | "isAgain">): Promise<Admission> => {
    const sight = seeThroughProxy(visit, isTrusted);
    const refusal = turnAway(visit, sight);
    if (refusal !== undefined) return { refusal };
    const [, token] = /^Bearer +(\S+) *$/i.exec(visit.headers.authorization ?? "") ?? [];
    return admit({ ...how, isLocal: sight.isLocal, ...(token === undefined ? {} : { token }) });
  };
  return {
    turnAway: (visit) => turnAway(visit, seeThroughProxy(visit, isTrusted)),
    admit: (visit, door) => look(visit, { door }),
    isWelcome: async (visit) => "actor" in (await look(visit, { door: "", isAgain: true })),
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
