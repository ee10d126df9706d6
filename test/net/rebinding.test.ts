import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { listenHttp, listenPrivately, type Listener } from "./listeners.ts";
import { startNameServer, type Answers } from "./name-server.ts";
import { guardedFetch } from "./world.ts";
import type { GuardedFetch } from "../../src/net/fetch/guarded-fetch.ts";

const publicAddress = "93.184.215.14";
const blocked = { code: "blocked_address" };

/** A fetch whose connections to the public address end at a server of the test, which stands for the public internet. */
async function worldWith(
  answers: Answers,
  publicly: Listener,
  dnsTtlMs = 0,
): Promise<GuardedFetch & { dialled: string[] }> {
  const dialled: string[] = [];
  const { resolve } = await startNameServer(answers);
  const guarded = guardedFetch([], {
    resolve,
    dnsTtlMs,
    dial: (options) => {
      options.lookup?.(options.host ?? "", { all: true }, (_error, addresses) => {
        dialled.push(...(addresses as { address: string }[]).map(({ address }) => address));
      });
      const socket = connect(publicly.port, "127.0.0.1");
      Object.defineProperty(socket, "remoteAddress", { value: publicAddress });
      return socket;
    },
  });
  return { ...guarded, dialled };
}

describe("a guarded fetch of names that change their addresses", () => {
  it("connects to the address that was checked, whatever the name says a moment later", async () => {
    const publicly = await listenHttp((_request, response) => response.end("public"));
    let asked = 0;
    const world = await worldWith(() => [asked++ === 0 ? publicAddress : "127.0.0.1"], publicly);
    const { body } = await world.fetch("http://rebind.example/");
    expect(Buffer.from(body).toString()).toBe("public");
    expect(world.dialled).toEqual([publicAddress]);
    expect(asked).toBe(1);
  });

  it("refuses the name once it leads to loopback, on the next connection", async () => {
    const publicly = await listenHttp((_request, response) => response.writeHead(200, { connection: "close" }).end());
    const world = await worldWith((_name, question) => [question === 1 ? publicAddress : "127.0.0.1"], publicly);
    expect((await world.fetch("http://rebind.example/")).status).toBe(200);
    await expect(world.fetch("http://rebind.example/")).rejects.toMatchObject(blocked);
    expect(world.dialled).toEqual([publicAddress]);
  });

  it("refuses a redirect to a name that has turned to loopback", async () => {
    const publicly = await listenHttp((request, response) => {
      response.writeHead(302, { location: "http://other.example/", connection: "close" }).end(request.url);
    });
    const world = await worldWith((name) => [name === "other.example" ? "127.0.0.1" : publicAddress], publicly);
    await expect(world.fetch("http://first.example/")).rejects.toMatchObject(blocked);
    expect(publicly.connections()).toBe(1);
  });

  it("asks once for many connections while an answer is kept", async () => {
    const publicly = await listenHttp((_request, response) => response.writeHead(200, { connection: "close" }).end());
    let asked = 0;
    const world = await worldWith(() => [asked++ === 0 ? publicAddress : "127.0.0.1"], publicly, 60_000);
    for (let request = 0; request < 5; request++) await world.fetch("http://busy.example/");
    expect(asked).toBe(1);
  });

  it("refuses a name with a public and a private address, in either order", async () => {
    const publicly = await listenPrivately();
    for (const addresses of [
      [publicAddress, "127.0.0.1"],
      ["10.0.0.1", publicAddress],
    ]) {
      const world = await worldWith(() => addresses, publicly);
      await expect(world.fetch("http://mixed.example/")).rejects.toMatchObject(blocked);
    }
    expect(publicly.connections()).toBe(0);
  });

  it("refuses a chain of aliases that ends on loopback, and tells no address", async () => {
    const publicly = await listenPrivately();
    const chain: Answers = (name) =>
      name === "end.example" ? ["127.0.0.1"] : { alias: name === "a.example" ? "b.example" : "end.example" };
    const world = await worldWith(chain, publicly);
    const failure: unknown = await world.fetch("http://a.example/").catch((error: unknown) => error);
    expect(failure).toMatchObject(blocked);
    expect(JSON.stringify(failure) + String(failure)).not.toContain("127.0.0.1");
    expect(publicly.connections()).toBe(0);
  });

  it("follows a chain of aliases that ends on a public address", async () => {
    const publicly = await listenHttp((_request, response) => response.end());
    const world = await worldWith(
      (name) => (name === "b.example" ? [publicAddress] : { alias: "b.example" }),
      publicly,
    );
    expect((await world.fetch("http://a.example/")).status).toBe(200);
  });

  it("writes nothing to a peer that is not the one that was checked", async () => {
    let received = 0;
    const privately = await listenHttp((_request, response) => {
      received += 1;
      response.end();
    });
    const { resolve } = await startNameServer(() => [publicAddress]);
    const { fetch } = guardedFetch([], { resolve, dial: () => connect(privately.port, "127.0.0.1") });
    await expect(fetch("http://astray.example/")).rejects.toMatchObject(blocked);
    expect(received).toBe(0);
  });

  it("says that a name cannot be resolved", async () => {
    const publicly = await listenPrivately();
    const world = await worldWith(() => [], publicly);
    await expect(world.fetch("http://nowhere.example/")).rejects.toMatchObject({ code: "dns_failed", retryable: true });
  });
});
