import { isIP } from "node:net";
import type { JobFailure } from "../../job/failure.ts";
import { readAllowList, withoutTrailingDot } from "./allow-list.ts";
import { netFailure } from "../fetch/net-failure.ts";
import { isPublicAddress } from "./public-address.ts";
import { parseUrl } from "../../job/parse-url.ts";

/** Where Longhaul may connect to. */
export interface AddressRules {
  /** Parses a URL and refuses it when its form alone tells that it must not be fetched. */
  readonly checkUrl: (url: string | URL, base?: URL) => URL;
  /** Refuses a host and port before anything is resolved. */
  readonly checkTarget: (target: Target) => void;
  /** Refuses an address that the target's name leads to, or that a socket is connected to. */
  readonly checkAddress: (target: Target, address: string) => void;
}

export interface Target {
  /** As the URL parser writes it, IPv6 in brackets. */
  readonly hostname: string;
  readonly port: number;
}

const maxPassed = 1_000;
/** The ports that browsers refuse (the Fetch standard's "bad ports"): services that a forged request could speak to. */
const blockedPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

export function createAddressRules(allow: readonly string[] = []): AddressRules {
  const allowed = readAllowList(allow);
  /** Targets that were not refused: the answer never changes, and a crawl asks for the same one with every page. */
  const passed = new Set<string>();

  const checkAddress: AddressRules["checkAddress"] = (target, address) => {
    if (allowed.hasHost(withoutTrailingDot(target.hostname), target.port)) return;
    if (!isPublicAddress(address) && !allowed.hasAddress(address)) throw blockedAddress(target.hostname);
  };
  const checkTarget: AddressRules["checkTarget"] = (target) => {
    const name = `${target.hostname}:${target.port}`;
    if (passed.has(name)) return;
    checkNewTarget(target);
    if (passed.size >= maxPassed) passed.clear();
    passed.add(name);
  };
  const checkNewTarget: AddressRules["checkTarget"] = (target) => {
    const host = withoutTrailingDot(target.hostname);
    if (host === "" || host.startsWith(".") || host.includes("..")) {
      throw netFailure("bad_url", `"${target.hostname}" is not a host name.`);
    }
    if (blockedPorts.has(target.port) && !allowed.hasPort(host, target.port)) {
      throw netFailure(
        "blocked_address",
        `Port ${target.port} is not a port of web servers, so Longhaul does not connect to it.`,
      );
    }
    const literal = addressIn(host);
    if (literal !== undefined) checkAddress(target, literal);
    else if (/(^|\.)localhost$/.test(host) && !allowed.hasHost(host, target.port)) throw blockedAddress(host);
  };
  return {
    checkAddress,
    checkTarget,
    checkUrl: (text, base) => {
      const url = parseWebUrl(text, base);
      checkTarget(targetOf(url));
      return url;
    },
  };
}

export function targetOf(url: URL): Target {
  return { hostname: url.hostname, port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port) };
}

/** What `net.allow` would say to allow just where this URL leads. */
export function toAllowEntry(url: string): string {
  const { hostname, port } = targetOf(new URL(url));
  return `${hostname}:${port}`;
}

/** The address in a host that is one, without its brackets. */
export function addressIn(host: string): string | undefined {
  const bare = host.startsWith("[") ? host.slice(1, -1) : host;
  return isIP(bare) === 0 ? undefined : bare;
}

const longestUrl = 8_192;

function parseWebUrl(text: string | URL, base?: URL): URL {
  const url = parseUrl(String(text), base?.href);
  if (url === undefined || url.href.length > longestUrl) {
    throw netFailure("bad_url", `Expected a URL of at most ${longestUrl} characters, got ${shown(String(text))}.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw netFailure("bad_url", `Only http and https URLs are fetched, got ${shown(url.protocol)}.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw netFailure("bad_url", `A URL must not hold a user name or password: send an Authorization header instead.`);
  }
  return url;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function blockedAddress(hostname: string): JobFailure {
  return netFailure(
    "blocked_address",
    `${hostname} is not on the public internet, so Longhaul does not connect to it; to allow it, add it to net.allow in the configuration.`,
  );
}
