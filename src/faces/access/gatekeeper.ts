import type { IncomingHttpHeaders } from "node:http";
import type { Admission, Admit } from "../admission.ts";
import { createAddressSet, isLoopbackAddress } from "./addresses.ts";
import { createHostRules, type HostRules } from "./host-rules.ts";

export interface GatekeeperParts extends HostRules {
  readonly admit: Admit;
  /** Addresses and subnets of reverse proxies: only they are believed on whose behalf they ask. */
  readonly trustedProxies?: readonly string[];
}

/** The part of a request of `node:http` that matters at the door. */
export interface Visit {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Decides who comes in: every request that arrives over the network passes here first. */
export type Gatekeeper = (visit: Visit, door: string) => Promise<Admission>;

export function createGatekeeper({ admit, trustedProxies = [], ...rules }: GatekeeperParts): Gatekeeper {
  const misled = createHostRules(rules);
  const isTrusted = createAddressSet(trustedProxies);
  return async (visit, door) => {
    const { host, protocol, isLocal } = seeThroughProxies(visit, isTrusted);
    const message = misled({ host, protocol, origin: visit.headers.origin });
    if (message !== undefined) return { refusal: { status: 403, message } };
    const [, token] = /^Bearer +(\S+) *$/i.exec(visit.headers.authorization ?? "") ?? [];
    return admit({ door, isLocal, ...(token === undefined ? {} : { token }) });
  };
}

interface Sight {
  readonly host: string | undefined;
  readonly protocol: "http" | "https";
  readonly isLocal: boolean;
}

/**
 * What the request was before trusted proxies handed it on. From anybody else the forwarding headers are not believed; but a request
 * that has them was handed on by somebody, so it does not count as one from this machine.
 */
function seeThroughProxies({ headers, socket }: Visit, isTrusted: (address: string) => boolean): Sight {
  const peer = socket.remoteAddress ?? "";
  if (!isTrusted(peer)) {
    const wasForwarded = headers["x-forwarded-for"] !== undefined || headers["forwarded"] !== undefined;
    return { host: headers.host, protocol: "http", isLocal: isLoopbackAddress(peer) && !wasForwarded };
  }
  const hops = list(headers["x-forwarded-for"]);
  // The nearest hop is the last one; what stands before the first stranger, the stranger may have made up.
  const client = hops.findLast((address) => !isTrusted(address)) ?? hops[0] ?? peer;
  return {
    host: list(headers["x-forwarded-host"]).at(-1) ?? headers.host,
    protocol: list(headers["x-forwarded-proto"]).at(-1) === "https" ? "https" : "http",
    // A proxy that does not say for whom it asks asks for somebody that we do not know.
    isLocal: hops.length > 0 && isLoopbackAddress(client),
  };
}

function list(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
