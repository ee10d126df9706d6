import { describe, expect, it } from "vitest";
import { createAddressRules } from "../../src/net/address/address-rules.ts";
import { isPublicAddress } from "../../src/net/address/public-address.ts";
import { defaultUserAgent, productToken } from "../../src/net/fetch/user-agent.ts";

describe("addresses", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "169.253.1.1",
    "198.20.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::8a",
  ])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    "",
    "8.8.8",
    "0x8.8.8.8",
    "134744072",
    "010.8.8.8",
    "8.8.8.8 ",
    "::ffff:8.8.8.8",
    "fe80::1%eth0",
    "example.com",
  ])("%j is not known to be public", (address) => expect(isPublicAddress(address)).toBe(false));
});

describe("the rules", () => {
  it("take ordinary URLs, and give them back as they are fetched", () => {
    const { checkUrl } = createAddressRules();
    expect(checkUrl("HTTPS://Example.COM:443/a b?c#d").href).toBe("https://example.com/a%20b?c#d");
    expect(checkUrl("http://93.184.215.14:8080/").port).toBe("8080");
    expect(checkUrl("/next", new URL("https://example.com/a/b")).href).toBe("https://example.com/next");
    expect(checkUrl("http://localhost.example.com/").hostname).toBe("localhost.example.com");
    expect(() => checkUrl(`http://example.com/${"x".repeat(9_000)}`)).toThrow(/at most 8192 characters/);
  });

  it("allow what is named, in the form in which it is named, and nothing beside it", () => {
    const { checkUrl, checkAddress } = createAddressRules([
      "Intranet.Example",
      "db.example:8443",
      "[::1]:3000",
      "10.0.0.0/8",
      "fd00::/8",
      "localhost:22",
    ]);
    const at = (hostname: string, port = 443): { hostname: string; port: number } => ({ hostname, port });
    for (const [target, address] of [
      [at("intranet.example"), "192.168.0.1"],
      [at("intranet.example."), "192.168.0.1"],
      [at("db.example", 8_443), "192.168.0.1"],
      [at("anything.example"), "10.9.8.7"],
      [at("anything.example"), "fd12::1"],
    ] as const) {
      expect(() => checkAddress(target, address)).not.toThrow();
    }
    for (const [target, address] of [
      [at("other.intranet.example"), "192.168.0.1"],
      [at("db.example"), "192.168.0.1"],
      [at("anything.example"), "11.0.0.1.1"],
      [at("anything.example"), "::ffff:10.0.0.1"],
    ] as const) {
      expect(() => checkAddress(target, address)).toThrow(/net\.allow/);
    }
    expect(() => checkUrl("http://[::1]:3000/")).not.toThrow();
    expect(() => checkUrl("http://[::1]:3001/")).toThrow(/net\.allow/);
    expect(() => checkUrl("http://localhost:22/")).not.toThrow();
    expect(() => checkUrl("http://10.0.0.1:22/")).toThrow(/Port 22/);
  });

  it.each([
    "",
    "http://example.com",
    "example.com/path",
    "a b",
    "10.0.0.0/99",
    "example.com:99999",
    "user@example.com",
  ])("refuse %j as something to allow", (entry) =>
    expect(() => createAddressRules([entry])).toThrow(/^net\.allow must have a host name/),
  );
});

describe("the User-Agent", () => {
  it("begins with the name that robots.txt files use, and says where to read more", () => {
    expect(defaultUserAgent("1.2.3")).toMatch(new RegExp(`^${productToken}/1\\.2\\.3 \\(\\+https://`));
  });
});
