import { describe, expect, it } from "vitest";
import { createAdmit } from "../../../src/faces/door/admit.ts";
import { createGatekeeper, type GatekeeperParts } from "../../../src/faces/door/gatekeeper.ts";
import type { Credentials } from "../../../src/faces/door/admission.ts";

interface Visitor {
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

/** What the gatekeeper asks to be admitted, or the status with which it refuses by itself. */
async function visit(
  { from, headers }: Visitor,
  parts: Omit<GatekeeperParts, "admit"> = {},
): Promise<Credentials | number> {
  const asked: Credentials[] = [];
  const admit: GatekeeperParts["admit"] = async (credentials) => {
    asked.push(credentials);
    return { actor: {} };
  };
  const request = { headers: { host: "127.0.0.1:7467", ...headers }, socket: { remoteAddress: from } };
  const admission = await createGatekeeper({ admit, ...parts }).admit(request, { door: "http" });
  return "refusal" in admission ? admission.refusal.status : (asked[0] ?? 0);
}

const local = { door: "http", isLocal: true };
const remote = { door: "http", isLocal: false };

describe("the host that a request asks for", () => {
  const own = ["127.0.0.1", "127.0.0.1:7467", "LOCALHOST:7467", "[::1]:7467", "[::1]", "127.8.8.8"];
  it.each(own)("may be this machine: %s", async (host) => {
    expect(await visit({ from: "127.0.0.1", headers: { host } })).toEqual(local);
  });

  const foreign = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:7467",
    "0.0.0.0",
    "2130706433",
    "",
  ];
  it.each([...foreign, "10.1.2.3", "[::2]", "127.0.0.1@evil.example", "localhost:7467:80"])(
    "may not be another: %j",
    async (host) => {
      expect(await visit({ from: "127.0.0.1", headers: { host } })).toBe(403);
    },
  );

  it("may be one that is allowed, whatever its case and port", async () => {
    const rules = { hosts: ["Jobs.example.com"] };
    expect(await visit({ from: "127.0.0.1", headers: { host: "jobs.EXAMPLE.com:443" } }, rules)).toEqual(local);
    expect(await visit({ from: "127.0.0.1", headers: { host: "x.jobs.example.com" } }, rules)).toBe(403);
  });
});

describe("the web page that a request comes from", () => {
  it("may be the server's own on this machine", async () => {
    const headers = { host: "127.0.0.1:7467", origin: "http://127.0.0.1:7467" };
    expect(await visit({ from: "127.0.0.1", headers })).toEqual(local);
  });

  const foreign = [
    "https://evil.example",
    "null",
    "http://127.0.0.1:9999",
    "http://localhost:7467",
    "https://127.0.0.1:7467",
    "",
  ];
  it.each(foreign)("may not be another: %j", async (origin) => {
    expect(await visit({ from: "127.0.0.1", headers: { origin } })).toBe(403);
  });

  it("may be one that is allowed, and no other of that host", async () => {
    const rules = { hosts: ["jobs.example.com"], origins: ["https://jobs.example.com"] };
    const from = (origin: string): Promise<unknown> =>
      visit({ from: "127.0.0.1", headers: { host: "jobs.example.com", origin } }, rules);
    expect(await from("https://jobs.example.com")).toEqual(local);
    expect(await from("http://jobs.example.com")).toBe(403);
    expect(await from("https://jobs.example.com:8443")).toBe(403);
    expect(await from("https://jobs.example.com.evil.example")).toBe(403);
  });
});

describe("the token", () => {
  it.each(["Bearer abc", "bearer abc", "Bearer   abc  "])("is read from %j", async (authorization) => {
    expect(await visit({ from: "127.0.0.1", headers: { authorization } })).toEqual({ ...local, token: "abc" });
  });

  it.each(["abc", "Basic abc", "Bearer", "Bearer a b"])("is not read from %j", async (authorization) => {
    expect(await visit({ from: "127.0.0.1", headers: { authorization } })).toEqual(local);
  });
});

describe("where a caller is", () => {
  const proxied = { trustedProxies: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"] };
  const cases: readonly [string, Visitor, object][] = [
    ["loopback", { from: "127.0.0.1" }, local],
    ["loopback of IPv6", { from: "::1" }, local],
    ["loopback in the form of IPv6", { from: "::ffff:127.0.0.1" }, local],
    ["another machine", { from: "192.168.1.2" }, remote],
    ["another machine in the form of IPv6", { from: "::ffff:192.168.1.2" }, remote],
    ["a connection that is gone", {}, remote],
  ];

  it.each(cases)("is told by the address of the connection: %s", async (_name, visitor, expected) => {
    expect(await visit(visitor)).toEqual(expected);
  });

  const forwarding = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"];
  it.each(forwarding)("what was handed on is never from this machine: %s", async (name) => {
    for (const from of ["127.0.0.1", "192.168.1.2"]) {
      expect(await visit({ from, headers: { [name]: "127.0.0.1" } })).toEqual(remote);
    }
  });

  it("a trusted proxy asks for somebody elsewhere, whatever it says", async () => {
    for (const from of ["127.0.0.1", "::ffff:127.0.0.1", "10.1.1.1", "fd00::1"]) {
      expect(await visit({ from }, proxied)).toEqual(remote);
      expect(await visit({ from, headers: { "x-forwarded-for": "127.0.0.1" } }, proxied)).toEqual(remote);
    }
  });

  it("the host and the protocol of a trusted proxy count, and only of one", async () => {
    const rules = { hosts: ["jobs.example.com"] };
    const headers = { host: "evil.example", "x-forwarded-host": "jobs.example.com", "x-forwarded-for": "203.0.113.9" };
    expect(await visit({ from: "10.1.1.1", headers }, { ...rules, ...proxied })).toEqual(remote);
    const madeUp = { ...headers, "x-forwarded-host": "jobs.example.com, evil.example" };
    expect(await visit({ from: "10.1.1.1", headers: madeUp }, { ...rules, ...proxied })).toBe(403);
    expect(await visit({ from: "192.168.1.2", headers }, { ...rules, ...proxied })).toBe(403);
    const secure = { origin: "https://localhost", host: "localhost", "x-forwarded-proto": "https" };
    expect(await visit({ from: "127.0.0.1", headers: secure }, proxied)).toEqual(remote);
    expect(await visit({ from: "192.168.1.2", headers: secure }, proxied)).toBe(403);
  });
});

describe("from another machine", () => {
  const admit = createAdmit({
    tokens: {
      check: async () => ({
        status: "valid",
        token: { id: "a", name: "ci", scope: "run", createdAt: 0, owner: "ada" },
      }),
      take: async () => undefined,
    },
    localToken: "local",
    barredKinds: ["shell"],
  });

  it("the token in the file counts for nothing", async () => {
    expect(await admit({ token: "local", door: "http", isLocal: true })).toEqual({ actor: { by: "local (http)" } });
    for (const where of [{}, { isLocal: false }]) {
      expect(await admit({ token: "local", door: "http", ...where })).toMatchObject({ refusal: { status: 401 } });
    }
  });

  it("kinds are barred that this machine's callers may start", async () => {
    const actor = { by: "ci (mcp)", scope: "run", owner: "ada", token: "a" };
    expect(await admit({ token: "x", door: "mcp", isLocal: true })).toEqual({ actor });
    expect(await admit({ token: "x", door: "mcp" })).toEqual({ actor: { ...actor, barredKinds: ["shell"] } });
  });
});
