import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { call, send, type Answer } from "../faces/door/access-world.ts";
import { makeHome, serveHere } from "./server-here.ts";

/** Somebody handed the request on, so it counts as one from another machine. */
const fromElsewhere = { "x-forwarded-for": "203.0.113.9" };

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0.0.0" } },
};

function mcp(
  url: string,
  token: string,
  headers: Record<string, string> = {},
  body: unknown = initialize,
): Promise<Answer> {
  const accept = "application/json, text/event-stream";
  return send(`${url}/mcp`, { headers: { accept, authorization: `Bearer ${token}`, ...headers }, body });
}

describe("a server on this machine", () => {
  const attacks: readonly Record<string, string>[] = [
    { host: "evil.example" },
    { host: "evil.example:80", origin: "http://evil.example:80" },
    { origin: "https://evil.example" },
    { origin: "null" },
  ];

  it("refuses requests that are meant for somebody else, or come from a foreign page, at every door", async () => {
    const { url, token } = await serveHere(makeHome());
    const authorization = `Bearer ${token}`;
    for (const headers of attacks) {
      for (const path of ["/call/server_status", "/mcp", "/mcp/background-job", "/"]) {
        for (const method of ["POST", "GET", "DELETE", "OPTIONS"]) {
          const { status } = await send(`${url}${path}`, { method, headers: { authorization, ...headers } });
          expect([path, method, status]).toEqual([path, method, 403]);
        }
      }
    }
    expect((await call(url, "server_status", { token, headers: { origin: url } })).status).toBe(200);
    expect((await mcp(url, token, { origin: url })).status).toBe(200);
  });

  it("makes its token anew when a power cut has left the file empty, and lets nobody in without it", async () => {
    const home = makeHome();
    writeFileSync(join(home, "token"), "", { mode: 0o600 });
    const { url, token } = await serveHere(home);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect((await call(url, "server_status", { token })).status).toBe(200);
    expect((await call(url, "server_status", { token: "" })).status).toBe(401);
  });

  it("tells who is not let in how to come in, and nothing more", async () => {
    const { url } = await serveHere(makeHome());
    for (const path of ["/call/server_status", "/call/no_such_thing", "/mcp", "/nothing"]) {
      const { status, headers, body } = await send(`${url}${path}`, {});
      expect([path, status, headers["www-authenticate"]]).toEqual([path, 401, "Bearer"]);
      expect(JSON.stringify(body)).toContain("Authorization: Bearer");
    }
  });

  it("counts requests against the rate at all doors together, and says when to come again", async () => {
    const { url, give } = await serveHere(makeHome());
    const token = await give({ name: "hasty", rate: "2/h" });
    expect([(await call(url, "server_status", { token })).status, (await mcp(url, token)).status]).toEqual([200, 200]);
    for (const answer of [await call(url, "server_status", { token }), await mcp(url, token)]) {
      expect([answer.status, Number(answer.headers["retry-after"]) > 1_000]).toEqual([429, true]);
    }
  });

  it("logs who made and revoked tokens, but never a token", async () => {
    const { url, give, log, stop } = await serveHere(makeHome());
    const boss = await give({ name: "boss", scope: "admin" });
    const { body } = await call(url, "token_create", { token: boss, body: { name: "ci" } });
    const { token } = body as { token: string };
    await call(url, "server_status", { token });
    await call(url, "token_revoke", { token: boss, body: { token: "ci" } });
    await call(url, "server_status", { token });
    await stop();
    const lines = log()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { message: string; by?: string })
      .filter(({ message }) => message.startsWith("token"));
    expect(lines.map(({ message, by }) => [message, by])).toEqual([
      ["token created", "local (cli)"],
      ["token created", "boss (http)"],
      ["token revoked", "boss (http)"],
    ]);
    for (const text of [boss, token]) expect(log()).not.toContain(text.slice(-43));
  });
});

describe("an answer that goes on", () => {
  it("ends with its token, and others go on", async () => {
    const { url, give, local, token } = await serveHere(makeHome());
    const { id } = await local.call("run_command", { command: "sleep 60" });
    const read = async (path: string, reader: string): Promise<Response> =>
      fetch(`${url}${path}`, { headers: { accept: "text/event-stream", authorization: `Bearer ${reader}` } });
    const revoked = await give({ name: "ci" });
    const streams = await Promise.all([read(`/v1/jobs/${id}/events`, revoked), read(`/v1/jobs/${id}/output`, revoked)]);
    const stays = await read(`/v1/jobs/${id}/events`, token);
    const waiting = call(url, "job_wait", { token: revoked, body: { ids: [id], timeout_ms: 40_000 } });
    const ends = Promise.allSettled([...streams.map((stream) => stream.text()), waiting]);
    expect([...streams, stays].map(({ status }) => status)).toEqual([200, 200, 200]);
    await local.call("token_revoke", { token: "ci" });
    const reasons = (await ends).map((end) => (end.status === "rejected" ? (end.reason as Error).message : end.value));
    expect(reasons).toEqual(["terminated", "terminated", "socket hang up"]);
    await local.call("job_cancel", { ids: [id] });
    expect(await stays.text()).toContain("job-finished");
  });
});

describe("sessions of older MCP clients", () => {
  async function open(url: string, token: string): Promise<Record<string, string>> {
    const { headers } = await mcp(url, token);
    return { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": "2025-06-18" };
  }
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };

  it("end for a token that is revoked with its next request", async () => {
    const { url, give, local } = await serveHere(makeHome());
    const token = await give({ name: "ci" });
    const session = await open(url, token);
    expect((await mcp(url, token, session, list)).status).toBe(200);
    await local.call("token_revoke", { token: "ci" });
    expect((await mcp(url, token, session, list)).status).toBe(401);
  });

  it("are not shared with a token of the same owner that may do less, nor with another owner's", async () => {
    const { url, give } = await serveHere(makeHome());
    const session = await open(url, await give({ name: "ada", owner: "ada" }));
    for (const request of [
      { name: "reader", owner: "ada", scope: "read" as const },
      { name: "bob", owner: "bob" },
    ]) {
      expect((await mcp(url, await give(request), session, list)).status).toBe(404);
    }
  });
});

describe("a server that other machines can reach", () => {
  it("does not start without a token for them, and says how to make one", async () => {
    const home = makeHome();
    await expect(serveHere(home, { host: "0.0.0.0" })).rejects.toMatchObject({
      code: "not_allowed",
      message: expect.stringMatching(/reach the server on 0\.0\.0\.0.*longhaul token create/) as string,
    });
    expect(existsSync(join(home, "server.json"))).toBe(false);
    const here = await serveHere(home);
    await here.give({ name: "ci" });
    await here.stop();
    expect((await serveHere(home, { host: "0.0.0.0" })).url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
  });

  it("does not start when its only tokens are revoked, and starts with an identity provider", async () => {
    const home = makeHome();
    const here = await serveHere(home);
    await here.give({ name: "ci" });
    await here.local.call("token_revoke", { token: "ci" });
    await here.stop();
    await expect(serveHere(home, { host: "::" })).rejects.toMatchObject({ code: "not_allowed" });
    const oidc = { issuer: "https://id.example.com", audience: "longhaul" };
    expect((await serveHere(makeHome({ oidc }), { host: "0.0.0.0" })).url).toContain("0.0.0.0");
  });

  it("takes the token in the file from this machine only", async () => {
    const { url, token, give } = await serveHere(makeHome());
    const stored = await give({ name: "ci" });
    expect((await call(url, "server_status", { token })).status).toBe(200);
    expect((await call(url, "server_status", { token, headers: fromElsewhere })).status).toBe(401);
    expect((await mcp(url, token, fromElsewhere)).status).toBe(401);
    expect((await call(url, "server_status", { token: stored, headers: fromElsewhere })).status).toBe(200);
  });

  it("lets nobody elsewhere run commands, unless it was told to", async () => {
    const body = { command: "true" };
    const run = async (flags: object): Promise<Answer[]> => {
      const { url, give, stop } = await serveHere(makeHome(), flags);
      const token = await give({ name: "ci" });
      const answers = [
        await call(url, "run_command", { token, body }),
        await call(url, "run_command", { token, body, headers: fromElsewhere }),
      ];
      await stop();
      return answers;
    };
    const [here, elsewhere] = await run({});
    expect(here?.status).toBe(200);
    expect(elsewhere).toMatchObject({
      status: 403,
      body: { code: "not_allowed", detail: expect.stringContaining("shell.allow_remote") as string },
    });
    expect((await run({ allowRemoteShell: true })).map(({ status }) => status)).toEqual([200, 200]);
  });

  it("answers to the names and pages that are configured, behind a proxy that is trusted", async () => {
    const server = {
      hosts: ["jobs.example.com"],
      origins: ["https://jobs.example.com"],
      trusted_proxies: ["127.0.0.1"],
    };
    const { url, give } = await serveHere(makeHome({ server }));
    const token = await give({ name: "ci" });
    const proxied = { ...fromElsewhere, "x-forwarded-host": "jobs.example.com", "x-forwarded-proto": "https" };
    const origin = "https://jobs.example.com";
    for (const ask of [
      (headers: Record<string, string>) => call(url, "server_status", { token, headers }),
      (headers: Record<string, string>) => mcp(url, token, headers),
    ]) {
      expect((await ask({ ...proxied, origin })).status).toBe(200);
      expect((await ask({ ...proxied, origin: "https://evil.example" })).status).toBe(403);
      expect((await ask({ ...proxied, "x-forwarded-host": "evil.example" })).status).toBe(403);
    }
  });
});

describe("the configuration of access", () => {
  const bad: readonly [object, RegExp][] = [
    [{ server: { hosts: ["jobs.example.com:80"] } }, /server\.hosts.*without a port/],
    [{ server: { origins: ["jobs.example.com"] } }, /server\.origins.*https:\/\/jobs\.example\.com/],
    [{ server: { origins: ["https://jobs.example.com/"] } }, /server\.origins/],
    [{ server: { origins: ["*"] } }, /server\.origins/],
    [{ server: { trusted_proxies: ["proxy"] } }, /server\.trusted_proxies.*address or a subnet/],
    [{ server: { trusted_proxies: ["10.0.0.0/33"] } }, /server\.trusted_proxies/],
    [{ oidc: { issuer: "http://id.example.com", audience: "x" } }, /oidc\.issuer.*https/],
    [{ oidc: { issuer: "https://id.example.com" } }, /oidc\.audience/],
    [{ oidc: { issuer: "https://id.example.com", audience: "x", scopes: { a: "root" } } }, /oidc\.scopes/],
  ];

  it.each(bad)("is refused by name: %j", (config, message) => {
    expect(() => loadConfig({}, { LONGHAUL_HOME: makeHome(config) })).toThrow(message);
  });
});

describe("a request that could be read in two ways", () => {
  /** As no client library would send it. */
  function sendRaw(url: string, text: string): Promise<string> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(`${text}\r\n\r\n`));
      let answer = "";
      socket.setEncoding("utf8").on("data", (data: string) => (answer += data));
      socket.once("close", () => resolve(answer.split("\r\n")[0] ?? ""));
      socket.once("error", reject);
    });
  }

  it("is refused at every door: two of a header that counts, or a whole address as the target", async () => {
    const { url, token } = await serveHere(makeHome());
    const { host } = new URL(url);
    const head = [`Host: ${host}`, `Authorization: Bearer ${token}`, "Connection: close"];
    for (const path of ["/v1/status", "/call/server_status", "/mcp", "/healthz", "/v2/x/health", "/nothing"]) {
      const doubled = ["Host: evil.example", `Host: ${host}`, "Authorization: Bearer other", "AUTHORIZATION: Bearer x"];
      for (const extra of doubled) {
        expect([path, extra, await sendRaw(url, [`GET ${path} HTTP/1.1`, ...head, extra].join("\r\n"))]).toEqual([
          path,
          extra,
          "HTTP/1.1 400 Bad Request",
        ]);
      }
      const origins = [`Origin: ${url}`, "Origin: https://evil.example"];
      expect(await sendRaw(url, [`GET ${path} HTTP/1.1`, ...head, ...origins].join("\r\n"))).toContain("400");
      expect(await sendRaw(url, [`GET http://evil.example${path} HTTP/1.1`, ...head].join("\r\n"))).toContain("400");
    }
    expect(await sendRaw(url, ["GET /v1/status HTTP/1.1", ...head].join("\r\n"))).toContain("200");
  });
});
