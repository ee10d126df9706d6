import { describe, expect, it } from "vitest";
import { createRobots, type Robots } from "../../src/net/robots/robots.ts";
import { FakeClock } from "../engine/fake-clock.ts";
import { listenHttp, listenTcp } from "./listeners.ts";
import { guardedFetch } from "./world.ts";

const dayMs = 24 * 3_600_000;

interface Site {
  readonly robots: Robots;
  readonly origin: string;
  readonly clock: FakeClock;
  readonly requests: string[];
  answer: { status: number; body?: string; location?: string };
  readonly isAllowed: (path: string) => Promise<boolean>;
}

async function openSite(answer: Site["answer"]): Promise<Site> {
  const clock = new FakeClock();
  const requests: string[] = [];
  const { origin } = await listenHttp((request, response) => {
    requests.push(request.url ?? "");
    const { status, body, location } = site.answer;
    response.writeHead(status, location === undefined ? {} : { location: `${location}${requests.length}` }).end(body);
  });
  const robots = createRobots(guardedFetch(["127.0.0.1"]), { productToken: "Longhaul", monotonic: clock.monotonic });
  const site: Site = {
    robots,
    origin,
    clock,
    requests,
    answer,
    isAllowed: async (path) => (await robots.rulesFor(origin)).isAllowed(origin + path),
  };
  return site;
}

describe("fetching robots.txt", () => {
  it("happens once a day, however many ask at once", async () => {
    const site = await openSite({ status: 200, body: "User-agent: *\nDisallow: /x" });
    expect(await Promise.all([site.isAllowed("/x"), site.isAllowed("/y"), site.isAllowed("/x")])).toEqual([
      false,
      true,
      false,
    ]);
    await site.clock.advance(dayMs - 1);
    await site.isAllowed("/x");
    expect(site.requests).toEqual(["/robots.txt"]);
    site.answer = { status: 200, body: "" };
    await site.clock.advance(2);
    expect(await site.isAllowed("/x")).toBe(true);
    expect(site.requests).toHaveLength(2);
  });

  it.each([404, 401, 403, 410])("that is answered with %i allows everything", async (status) => {
    const site = await openSite({ status, body: "User-agent: *\nDisallow: /" });
    expect(await site.isAllowed("/x")).toBe(true);
  });

  it.each([500, 503, 429])("that is answered with %i allows nothing, until it is asked again", async (status) => {
    const site = await openSite({ status });
    expect(await site.isAllowed("/x")).toBe(false);
    site.answer = { status: 200, body: "" };
    expect(await site.isAllowed("/x")).toBe(false);
    await site.clock.advance(3_600_000);
    expect(await site.isAllowed("/x")).toBe(true);
  });

  it("keeps to the earlier copy while the server is down", async () => {
    const site = await openSite({ status: 200, body: "User-agent: *\nDisallow: /x" });
    await site.isAllowed("/x");
    site.answer = { status: 500 };
    await site.clock.advance(dayMs + 1);
    expect([await site.isAllowed("/x"), await site.isAllowed("/y")]).toEqual([false, true]);
    expect(site.requests).toHaveLength(2);
  });

  it("allows nothing where nobody answers, or where the rules of net/ refuse the host", async () => {
    const broken = await listenTcp((socket) => socket.destroy());
    const robots = createRobots(guardedFetch([`127.0.0.1:${broken.port}`]), { productToken: "Longhaul" });
    expect((await robots.rulesFor(broken.origin)).isAllowed(`${broken.origin}/x`)).toBe(false);
    expect((await robots.rulesFor("http://127.0.0.1:1")).isAllowed("http://127.0.0.1:1/x")).toBe(false);
  });

  it("follows five redirects, and takes more for no robots.txt", async () => {
    const site = await openSite({ status: 302, location: "/r" });
    expect(await site.isAllowed("/x")).toBe(true);
    expect(site.requests).toHaveLength(6);
  });

  it("reads 500 KiB, and no line in part", async () => {
    const filler = `# ${"x".repeat(1_021)}\n`.repeat(499);
    const cut = `${"#".repeat(1_012)}\nDisallow: /abc`;
    const site = await openSite({ status: 200, body: `User-agent: *\nDisallow: /y\n${filler.slice(27)}${cut}` });
    expect([await site.isAllowed("/a"), await site.isAllowed("/y")]).toEqual([true, false]);
  });

  it("ends for a caller who gives up, and not for the others", async () => {
    const site = await openSite({ status: 200, body: "" });
    const controller = new AbortController();
    const given = site.robots.rulesFor(site.origin, controller.signal);
    const other = site.robots.rulesFor(site.origin);
    controller.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    expect((await other).isAllowed(`${site.origin}/x`)).toBe(true);
    expect(site.requests).toHaveLength(1);
  });
});
