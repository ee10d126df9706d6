import ipaddr from "ipaddr.js";

/** Only these IPv6 addresses are given out for the public internet; everything else is special, or not in use. */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** Public by its number, but answered by the cloud's own machinery (Azure's wire server). */
const metadataAddress = "168.63.129.16";

/**
 * Whether an address belongs to the public internet. What is not known to be public is not: private, loopback, link-local,
 * shared, benchmark, documentation, multicast and reserved ranges, and every IPv6 form that carries another address
 * (mapped, compatible, NAT64, 6to4, Teredo), because what it carries may be any of those.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined || address.range() !== "unicast") return false;
  if (address.kind() === "ipv4") return address.toString() !== metadataAddress;
  return address.match(globalUnicast);
}

export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // The strict forms only: ipaddr.js also reads "127.1" and "0x7f000001", which a resolver would read in its own way.
  const isStrict = ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(":") && ipaddr.IPv6.isValid(text));
  return isStrict ? ipaddr.parse(text) : undefined;
}
