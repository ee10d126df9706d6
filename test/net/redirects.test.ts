import { createServer as createSecureServer } from "node:https";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { makeCertificate } from "./certificate.ts";
import { listen, listenHttp, type Listener } from "./listeners.ts";
import { guardedFetch } from "./world.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

async function listenAndTell(): Promise<Listener & { seen: Seen[] }> {
  const seen: Seen[] = [];
  const listener = await listenHttp((request, response) => {
    const body: Buffer[] = [];
    request.on("data", (chunk: Buffer) => body.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(body).toString() });
      response.end("there");
    });
  });
  return { ...listener, seen };
}

async function listenAndRedirect(status: number, location: (url: string) => string): Promise<Listener> {
  return listenHttp((request, response) => response.writeHead(status, { location: location(request.url ?? "") }).end());
}

describe("redirects", () => {
  it("are followed, listed, and resolved against where they come from", async () => {
    const server = await listenHttp((request, response) => {
      const next: Record<string, string> = { "/a/start": "next?x=1", "/a/next?x=1": "../end" };
      const location = next[request.url ?? ""];
      if (location === undefined) response.end("end");
      else response.writeHead(301, { location }).end("moved");
    });
    const result = await guardedFetch(["127.0.0.1"]).fetch(`${server.origin}/a/start`);
    expect(result.url).toBe(`${server.origin}/end`);
    expect(result.redirects).toEqual([
      { url: `${server.origin}/a/start`, status: 301, isDowngrade: false },
      { url: `${server.origin}/a/next?x=1`, status: 301, isDowngrade: false },
    ]);
    expect(server.connections()).toBeLessThan(3);
  });

  it("keep secrets from other origins, and hand them on within one", async () => {
    const target = await listenAndTell();
    const hopping = await listenAndRedirect(307, () => `${target.origin}/there`);
    const { fetch } = guardedFetch(["127.0.0.1"]);
    const headers = { Authorization: "Bearer abc", cookie: "a=b", "X-Api-Key": "secret", accept: "text/html" };
    await fetch(hopping.origin, { headers });
    expect(target.seen[0]?.headers).toMatchObject({ accept: "text/html", "user-agent": "Longhaul/test" });
    expect(JSON.stringify(target.seen[0])).not.toMatch(/abc|a=b|secret/);
    await fetch(target.origin, { headers });
    expect(target.seen[1]?.headers).toMatchObject({
      authorization: "Bearer abc",
      cookie: "a=b",
      "x-api-key": "secret",
    });
  });

  it("turn a POST into a GET without a body, but for 307 and 308", async () => {
    const target = await listenAndTell();
    for (const status of [301, 302, 303, 307, 308]) {
      const hopping = await listenAndRedirect(status, () => `${target.origin}/${status}`);
      const headers = { "content-type": "text/plain" };
      await guardedFetch(["127.0.0.1"]).fetch(hopping.origin, { method: "POST", body: "sent", headers });
    }
    expect(target.seen.map(({ method, url, body, headers }) => [url, method, body, headers["content-type"]])).toEqual([
      ["/301", "GET", "", undefined],
      ["/302", "GET", "", undefined],
      ["/303", "GET", "", undefined],
      ["/307", "POST", "sent", "text/plain"],
      ["/308", "POST", "sent", "text/plain"],
    ]);
  });

  it("end when they are too many, or come back to where they were", async () => {
    const endless = await listenAndRedirect(302, (url) => `/${Number(url.slice(1)) + 1}`);
    const { fetch } = guardedFetch(["127.0.0.1"]);
    const failure = { code: "too_many_redirects", retryable: false };
    await expect(fetch(`${endless.origin}/1`)).rejects.toMatchObject(failure);
    await expect(fetch(`${endless.origin}/1`, { maxRedirects: 2 })).rejects.toMatchObject(failure);
    let requests = 0;
    const circle = await listenAndRedirect(302, (url) => {
      requests += 1;
      return url === "/a" ? "/b" : "/a";
    });
    await expect(fetch(`${circle.origin}/a`)).rejects.toMatchObject(failure);
    expect(requests).toBe(2);
  });

  it("are given to a caller who does not want them followed", async () => {
    const hopping = await listenAndRedirect(302, () => "/next");
    const result = await guardedFetch(["127.0.0.1"]).fetch(hopping.origin, { maxRedirects: 0 });
    expect(result).toMatchObject({ status: 302, location: "/next", redirects: [] });
  });

  it("lead where their bytes say in UTF-8, and else in Latin-1", async () => {
    const target = await listenAndTell();
    const locations = ["größe", "größe"].map((name, index) => Buffer.from(name, index === 0 ? "utf8" : "latin1"));
    const hopping = await listenAndRedirect(302, (url) => {
      return `${target.origin}/${locations[Number(url.slice(1))]?.toString("latin1")}`;
    });
    const { fetch } = guardedFetch(["127.0.0.1"]);
    for (const index of [0, 1]) await fetch(`${hopping.origin}/${index}`);
    expect(target.seen.map(({ url }) => decodeURI(url ?? ""))).toEqual(["/größe", "/größe"]);
  });

  it("from https to http are noted, and lose what was secret", async () => {
    const target = await listenAndTell();
    const certificate = makeCertificate("secure.example");
    const secure = await listen(
      createSecureServer(certificate, (_request, response) =>
        response.writeHead(302, { location: `${target.origin}/` }).end(),
      ),
    );
    const { fetch } = guardedFetch(["127.0.0.1", "secure.example"], {
      ca: certificate.cert,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    const result = await fetch(`https://secure.example:${secure.port}/`, { headers: { authorization: "Bearer abc" } });
    expect(result.redirects).toMatchObject([{ status: 302, isDowngrade: true }]);
    expect(target.seen[0]?.headers.authorization).toBeUndefined();
  });

  it("never lead to a host whose certificate is not trusted, or is for another", async () => {
    const certificate = makeCertificate("secure.example");
    let requests = 0;
    const secure = await listen(createSecureServer(certificate, () => (requests += 1)));
    const resolve = async (): Promise<{ address: string; family: number }[]> => [{ address: "127.0.0.1", family: 4 }];
    const allow = ["secure.example", "other.example"];
    const failure = { code: "tls_failed", retryable: false };
    const untrusting = guardedFetch(allow, { resolve });
    await expect(untrusting.fetch(`https://secure.example:${secure.port}/`)).rejects.toMatchObject(failure);
    const trusting = guardedFetch(allow, { resolve, ca: certificate.cert });
    await expect(trusting.fetch(`https://other.example:${secure.port}/`)).rejects.toMatchObject(failure);
    expect(requests).toBe(0);
  });
});
