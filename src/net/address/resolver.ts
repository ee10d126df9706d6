import { lookup } from "node:dns/promises";
import { BoundedMap } from "../../job/bounded-map.ts";
import { addressIn, type AddressRules, type Target } from "./address-rules.ts";
import { errorCodeOf, netFailure } from "../fetch/net-failure.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** The addresses of a target, all of which may be connected to. */
export type CheckedResolve = (target: Target) => Promise<readonly ResolvedAddress[]>;

interface Answer {
  readonly addresses: Promise<readonly ResolvedAddress[]>;
  readonly until: number;
}

const defaultTtlMs = 30_000;
const maxNames = 1_000;

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: "verbatim" });

/**
 * Resolves and checks. One address that is not allowed refuses the name as a whole: a name with a public and a private address is
 * an attack, or a mistake that must not depend on which address happens to be tried. Answers are kept for a while, so that
 * connections to a busy host do not ask again; each use checks them again, because the rules differ by port.
 */
export function createCheckedResolve(
  rules: AddressRules,
  resolve: Resolve = systemResolve,
  ttlMs = defaultTtlMs,
): CheckedResolve {
  const known = new BoundedMap<string, Answer>(maxNames);

  const find = (hostname: string): Promise<readonly ResolvedAddress[]> => {
    const cached = known.get(hostname);
    if (cached !== undefined && cached.until > performance.now()) return cached.addresses;
    const addresses = resolveName(hostname, resolve);
    const entry = { addresses, until: performance.now() + ttlMs };
    known.set(hostname, entry);
    addresses.catch(() => known.get(hostname) === entry && known.delete(hostname));
    return addresses;
  };
  return async (target) => {
    rules.checkTarget(target);
    const literal = addressIn(target.hostname);
    if (literal !== undefined) return [{ address: literal, family: literal.includes(":") ? 6 : 4 }];
    const addresses = await find(target.hostname);
    for (const { address } of addresses) rules.checkAddress(target, address);
    return addresses;
  };
}

async function resolveName(hostname: string, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  let addresses: readonly ResolvedAddress[] = [];
  let reason = "ENODATA";
  try {
    addresses = await resolve(hostname);
  } catch (error) {
    reason = errorCodeOf(error);
  }
  if (addresses.length === 0) {
    throw netFailure("dns_failed", `The host name ${hostname} could not be resolved (${reason}).`, reason);
  }
  return addresses;
}
