import { BlockList, isIP } from "node:net";

/** A set of addresses and subnets ("10.0.0.0/8"). Addresses of IPv4 are also known in the form that IPv6 gives them. */
export function createAddressSet(entries: readonly string[]): (address: string) => boolean {
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

export const isLoopbackAddress = createAddressSet(["127.0.0.0/8", "::1"]);

/** Whether a host that a server listens on, or that a request names, is this machine and nothing else. */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === "localhost" || isLoopbackAddress(host.replace(/^\[(.*)\]$/, "$1"));
}
