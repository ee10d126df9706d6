import { isIP } from "node:net";
import { z } from "zod";
import { parseUrl } from "../job/parse-url.ts";

const scope = z.enum(["read", "run", "admin"]);

/** Keys that anybody on the way could replace are worth nothing: only this machine may go without TLS. */
const providerUrl = z
  .url()
  .refine(isSafe, "expected an address that begins with https:// (http:// only on this machine)");

/** Who may reach the server, within `server`. */
export const accessFields = {
  hosts: z
    .array(z.string().regex(/^([\w.-]+|\[[\da-fA-F:.]+\])$/, "expected a host name without a port"))
    .default([])
    .describe("Host names that requests may be meant for, besides those of this machine and `host`."),
  origins: z
    .array(z.string().refine(isOrigin, "expected an origin such as https://jobs.example.com"))
    .default([])
    .describe("Web pages that may send requests, besides the server's own on this machine."),
  trusted_proxies: z
    .array(z.string().refine(isAddress, "expected an address or a subnet, such as 10.0.0.0/8"))
    .default([])
    .describe("Reverse proxies whose X-Forwarded-Host and -Proto are believed."),
};

/** An identity provider whose tokens let people in. */
export const oidcSchema = z.strictObject({
  issuer: providerUrl,
  audience: z.string().min(1),
  jwks_uri: providerUrl.optional().describe("Where its keys are; found out from the issuer unless given."),
  owner_claim: z.string().min(1).default("sub"),
  scope_claim: z.string().min(1).default("scope"),
  scopes: z
    .record(z.string(), scope)
    .default({ "longhaul:read": "read", "longhaul:run": "run", "longhaul:admin": "admin" })
    .describe("What the words of the scope claim allow."),
});

function isSafe(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname));
}

function isOrigin(text: string): boolean {
  return parseUrl(text)?.origin === text.toLowerCase();
}

function isAddress(text: string): boolean {
  const [address = "", bits = "0", ...rest] = text.split("/");
  const version = isIP(address);
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32);
}
