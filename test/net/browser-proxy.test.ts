import { connect } from "node:net";
import { createServer as createSecureServer } from "node:https";
import { describe, expect, it } from "vitest";
import { createAddressRules } from "../../src/net/address/address-rules.ts";
import { startBrowserProxy, type BrowserProxy, type BrowserProxyOptions } from "../../src/net/proxy/browser-proxy.ts";
import { until } from "../until.ts";
import { closeAfterTest, listen, listenHttp, listenPrivately, listenTcp } from "./listeners.ts";
import { makeCertificate } from "./certificate.ts";
import { startNameServer } from "./name-server.ts";
import { forbiddenUrlsFor } from "./ssrf-table.ts";

async function startProxy(allow: readonly string[], options: Partial<BrowserProxyOptions> = {}): Promise<BrowserProxy> {
  const proxy = await startBrowserProxy({
    rules: createAddressRules(allow),
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    maxConnections: 16,
    ...options,
  });
  closeAfterTest(proxy.close);
  return proxy;
}

/** Sends these bytes to the proxy, and reads until it closes or `isEnough`. */
async function speak(
  proxy: BrowserProxy,
  text: string,
  isEnough: (answer: string) => boolean = () => false,
): Promise<string> {
  const socket = connect(Number(new URL(proxy.server).port), "127.0.0.1");
  closeAfterTest(async () => void socket.destroy());
  let answer = "";
  let isClosed = false;
  socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
  socket.on("error", () => undefined).once("close", () => (isClosed = true));
  socket.write(text);
  await until(() => isClosed || isEnough(answer));
  return answer;
}

function authorization({ username, password }: BrowserProxy): string {
  return `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString("base64")}\r\n`;
}

function get(proxy: BrowserProxy, url: string, headers = "Connection: close\r\n"): string {
  return `GET ${url} HTTP/1.1\r\nHost: x\r\n${authorization(proxy)}${headers}\r\n`;
}

const tunnelTo = (proxy: BrowserProxy, target: string): string =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization(proxy)}\r\n`;

describe("the proxy for browsers", () => {
  it("forwards requests to where the rules allow it, without what was meant for the proxy", async () => {
    let headers: unknown;
    const server = await listenHttp((request, response) => {
      headers = request.headers;
      response.end(`you asked for ${request.url}`);
    });
    const proxy = await startProxy(["127.0.0.1"]);
    const answer = await speak(proxy, get(proxy, `${server.origin}/a?b`, "Connection: close, X-Hop\r\nX-Hop: 1\r\n"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain("you asked for /a?b");
    expect(headers).toMatchObject({ host: `127.0.0.1:${server.port}` });
    expect(JSON.stringify(headers)).not.toMatch(/proxy-auth|x-hop/);
  });

  it("refuses every URL of the table, openly and through a tunnel, and notes it", async () => {
    const privately = await listenPrivately();
    const proxy = await startProxy([]);
    const urls = forbiddenUrlsFor(privately.port).filter((url) => /^[\x21-\x7e]+$/.test(url));
    const refused = /^HTTP\/1\.1 40[03] /;
    const served: string[] = [];
    for (const url of urls) if (!refused.test(await speak(proxy, get(proxy, url)))) served.push(url);
    const targets = urls.flatMap((url) => /^https?:\/\/([^/]+)/.exec(url)?.[1] ?? []);
    for (const target of targets) if (!refused.test(await speak(proxy, tunnelTo(proxy, target)))) served.push(target);
    expect(served).toEqual([]);
    expect(privately.connections()).toBe(0);
    expect(proxy.refusals().count).toBeGreaterThan(150);
    expect(proxy.refusals().recent).toHaveLength(100);
    expect(proxy.refusals().recent).toContainEqual({
      target: "localhost.:" + privately.port,
      reason: "blocked_address",
    });
  });

  it("refuses a name that leads to loopback, and one that turns to it", async () => {
    const privately = await listenPrivately();
    const { resolve } = await startNameServer((_name, question) => [question === 1 ? "127.0.0.1" : "10.1.2.3"]);
    const proxy = await startProxy([], { resolve, dnsTtlMs: 0 });
    expect(await speak(proxy, tunnelTo(proxy, `rebind.example:${privately.port}`))).toMatch(/^HTTP\/1\.1 403 /);
    const answer = await speak(proxy, get(proxy, `http://rebind.example:${privately.port}/`));
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).not.toContain("10.1.2.3");
    expect(privately.connections()).toBe(0);
  });

  it("serves nobody without its password", async () => {
    const server = await listenPrivately();
    const proxy = await startProxy(["127.0.0.1"]);
    const wrong = `Proxy-Authorization: Basic ${Buffer.from(`${proxy.username}:guess`).toString("base64")}\r\n`;
    for (const header of ["", wrong]) {
      const open = `GET ${server.origin}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`;
      const tunnel = `CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\nHost: x\r\n${header}\r\n`;
      const upgrade = `GET ${server.origin}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${header}\r\n`;
      for (const text of [open, tunnel, upgrade]) expect(await speak(proxy, text)).toMatch(/^HTTP\/1\.1 407 /);
    }
    expect(server.connections()).toBe(0);
    expect(proxy.password).not.toBe((await startProxy([])).password);
  });

  it("carries tunnels and upgrades both ways", async () => {
    const echo = await listenTcp((socket) =>
      socket.on("data", (chunk) => socket.write(chunk.toString().toUpperCase())),
    );
    const proxy = await startProxy(["127.0.0.1"]);
    const tunnel = `${tunnelTo(proxy, `127.0.0.1:${echo.port}`)}hello`;
    expect(await speak(proxy, tunnel, (answer) => answer.endsWith("HELLO"))).toMatch(/^HTTP\/1\.1 200 /);
    const upgrade = get(proxy, `${echo.origin}/chat`, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    const answer = await speak(proxy, upgrade, (text) => text.includes("GET /CHAT HTTP/1.1"));
    expect(answer).toContain("UPGRADE: WEBSOCKET");
    expect(answer).not.toContain("PROXY-AUTHORIZATION");
  });

  it("does not forward https in the clear", async () => {
    const secure = await listen(createSecureServer(makeCertificate("secure.example")));
    const proxy = await startProxy(["127.0.0.1"]);
    expect(await speak(proxy, get(proxy, `https://127.0.0.1:${secure.port}/`))).toMatch(/^HTTP\/1\.1 403 /);
    expect(secure.connections()).toBe(0);
  });

  it("bounds how many connections there are, ends those that are idle, and all when it is closed", async () => {
    const silent = await listenTcp(() => undefined);
    const proxy = await startProxy(["127.0.0.1"], { maxConnections: 2, idleTimeoutMs: 300 });
    const tunnel = tunnelTo(proxy, `127.0.0.1:${silent.port}`);
    const isOpen = (answer: string): boolean => answer.includes("200");
    await speak(proxy, tunnel, isOpen);
    const idle = speak(proxy, tunnel);
    await until(() => silent.connections() === 2);
    expect(await speak(proxy, tunnel)).toMatch(/^HTTP\/1\.1 503 /);
    expect(await idle).toMatch(/^HTTP\/1\.1 200 /);
    const patient = await startProxy(["127.0.0.1"], { idleTimeoutMs: 60_000 });
    const kept = speak(patient, tunnelTo(patient, `127.0.0.1:${silent.port}`));
    await until(() => silent.connections() === 3);
    await patient.close();
    expect(await kept).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("survives clients that vanish while it looks for their server", async () => {
    let finish = (): void => undefined;
    const asked = new Promise<[]>((resolve) => {
      finish = () => resolve([]);
    });
    const proxy = await startProxy(["slow.example"], { resolve: () => asked });
    for (const text of [tunnelTo(proxy, "slow.example:443"), get(proxy, "http://slow.example/")]) {
      const socket = connect(Number(new URL(proxy.server).port), "127.0.0.1");
      socket.on("error", () => undefined).write(text, () => socket.resetAndDestroy());
    }
    const patient = speak(proxy, tunnelTo(proxy, "slow.example:443"));
    finish();
    expect(await patient).toMatch(/^HTTP\/1\.1 502 /);
  });

  it.each([
    "HTTP/1.1 099 Odd\r\n\r\n",
    "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "nonsense\r\n\r\n",
  ])("survives a server that answers %j", async (answer) => {
    const odd = await listenTcp((socket) => socket.once("data", () => socket.end(answer)));
    const proxy = await startProxy(["127.0.0.1"]);
    expect(await speak(proxy, get(proxy, `${odd.origin}/`))).toMatch(/^HTTP\/1\.1 502 /);
  });

  it("tells of a server that cannot be reached, and does not count it as refused", async () => {
    const broken = await listenTcp((socket) => socket.destroy());
    const proxy = await startProxy(["127.0.0.1", "gone.example"], { resolve: async () => [] });
    expect(await speak(proxy, get(proxy, `${broken.origin}/`))).toMatch(/^HTTP\/1\.1 502 /);
    expect(await speak(proxy, tunnelTo(proxy, "gone.example:443"))).toMatch(/^HTTP\/1\.1 502 /);
    expect(proxy.refusals().count).toBe(0);
  });
});
