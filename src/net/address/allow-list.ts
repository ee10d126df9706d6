import ipaddr from "ipaddr.js";
import { LonghaulError } from "../../job/error.ts";
import { parseAddress } from "./public-address.ts";
import { parseUrl } from "../../job/parse-url.ts";

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What the configuration allows beyond the public internet. */
export interface AllowList {
  /** The host was named with exactly this port. */
  readonly hasPort: (host: string, port: number) => boolean;
  /** The host was named, so it may lead to any address. */
  readonly hasHost: (host: string, port: number) => boolean;
  readonly hasAddress: (address: string) => boolean;
}

/** Reads `net.allow`: host names, `host:port`, addresses and ranges such as `10.0.0.0/8`. */
export function readAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const ranges: Range[] = [];
  for (const entry of entries) {
    const range = readRange(entry);
    if (range === undefined) hosts.add(readHost(entry));
    else ranges.push(range);
  }
  const hasPort: AllowList["hasPort"] = (host, port) => hosts.has(`${host}:${port}`);
  return {
    hasPort,
    hasHost: (host, port) => hosts.has(host) || hasPort(host, port),
    hasAddress: (text) => {
      const address = parseAddress(text);
      return address !== undefined && ranges.some((candidate) => isWithin(address, candidate));
    },
  };
}

function readRange(entry: string): Range | undefined {
  const address = parseAddress(entry);
  if (address !== undefined) return [address, address.kind() === "ipv4" ? 32 : 128];
  return ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : undefined;
}

/** Written the way the URL parser writes hosts, because that is what they are compared with. */
function readHost(entry: string): string {
  const url = parseUrl(`http://${entry}/`);
  if (url === undefined || url.pathname !== "/" || url.search + url.hash + url.username + url.password !== "") {
    throw new LonghaulError(
      "invalid_input",
      `net.allow must have a host name, host:port, address or range such as 10.0.0.0/8, got ${JSON.stringify(entry)}.`,
      { details: { field: "net.allow" } },
    );
  }
  const port = /:(\d+)$/.exec(entry)?.[1];
  return withoutTrailingDot(url.hostname) + (port === undefined ? "" : `:${Number(port)}`);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}

export function withoutTrailingDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
