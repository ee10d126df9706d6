import { once } from "node:events";
import { connect, type LookupFunction, type Socket, type TcpNetConnectOpts } from "node:net";
import type { AddressRules, Target } from "../address/address-rules.ts";
import { netFailure, toNetFailure } from "./net-failure.ts";
import { createCheckedResolve, type Resolve, type ResolvedAddress } from "../address/resolver.ts";

export interface SocketOptions {
  readonly rules: AddressRules;
  readonly connectTimeoutMs: number;
  readonly resolve?: Resolve;
  readonly dnsTtlMs?: number;
  /** How a TCP connection is made; tests pass one that goes astray. */
  readonly dial?: (options: TcpNetConnectOpts) => Socket;
}

/** Opens TCP connections to targets that the rules allow, and to no others. */
export type OpenSocket = (target: Target) => Promise<Socket>;

/**
 * The only place in net/ that connects. The name is resolved once, every address is checked, the connection goes to one of exactly these,
 * and the peer is checked again before a byte is written: a name that changes its addresses in between gains nothing.
 */
export function createOpenSocket({
  rules,
  resolve,
  dnsTtlMs,
  connectTimeoutMs,
  dial = connect,
}: SocketOptions): OpenSocket {
  const checkedResolve = createCheckedResolve(rules, resolve, dnsTtlMs);
  return async (target) => {
    const { hostname: host, port } = target;
    const startedAt = performance.now();
    const addresses = await inTime(checkedResolve(target), connectTimeoutMs, host);
    // A host that is an address itself skips the lookup, but then it is the address that was checked.
    const socket = dial({ host, port, noDelay: true, autoSelectFamily: true, lookup: answerWith(addresses) });
    // Whoever takes the socket over listens too, but an error in between must not end the process.
    socket.on("error", () => undefined);
    try {
      const remainingMs = connectTimeoutMs - (performance.now() - startedAt);
      await inTime(once(socket, "connect"), remainingMs, host);
      rules.checkAddress(target, socket.remoteAddress ?? "");
      return socket;
    } catch (error) {
      socket.destroy();
      throw toNetFailure(error, host);
    }
  };
}

function answerWith(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family ?? 4);
  };
}

async function inTime<Value>(work: Promise<Value>, timeoutMs: number, host: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const failure = netFailure("timed_out", `No connection to ${host} could be made in time: try again later.`);
    timer = setTimeout(() => reject(failure), Math.max(0, timeoutMs));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
