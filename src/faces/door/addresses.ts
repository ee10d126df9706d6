import { BlockList, isIP, isIPv4 } from "node:net";

/** A set of addresses and subnets ("10.0.0.0/8"). Addresses of IPv4 are also known in the form that IPv6 gives them. */
export function createAddressSet(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return () => false;
  const set = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) set.addAddress(address, family);
    else set.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && set.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

const isInLoopbackSet = createAddressSet(["127.0.0.0/8", "::1"]);

/** Asked with every request: the usual address is known by its beginning, because looking it up in the set takes long. */
export function isLoopbackAddress(address: string): boolean {
  return (address.startsWith("127.") && isIPv4(address)) || isInLoopbackSet(address);
}

/** Whether a host that a server listens on, or that a request names, is this machine and nothing else. */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === "localhost" || isLoopbackAddress(host.replace(/^\[(.*)\]$/, "$1"));
}
