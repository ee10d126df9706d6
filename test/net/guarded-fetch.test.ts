import { describe, expect, it } from "vitest";
import { JobFailure } from "../../src/job/failure.ts";
import { listenHttp, listenPrivately } from "./listeners.ts";
import { forbiddenLocationsFor, forbiddenUrls, forbiddenUrlsFor } from "./ssrf-table.ts";
import { guardedFetch } from "./world.ts";

const refusal = { code: expect.stringMatching(/^(blocked_address|bad_url)$/) as string, retryable: false };

/** The URLs that were fetched, or failed for another reason than the rules. */
async function findUnrefused(
  urls: string[],
  fetch: (url: string, index: number) => Promise<unknown>,
): Promise<string[]> {
  const codes = await Promise.all(
    urls.map(async (url, index) => {
      const failure: unknown = await fetch(url, index).catch((error: unknown) => error);
      return failure instanceof JobFailure ? failure.code : "fetched";
    }),
  );
  return urls.filter((_, index) => codes[index] !== "blocked_address" && codes[index] !== "bad_url");
}

describe("where a guarded fetch goes", () => {
  it("refuses every URL of the table before it connects", async () => {
    const privately = await listenPrivately();
    const { fetch } = guardedFetch();
    expect(forbiddenUrls.length).toBeGreaterThanOrEqual(60);
    expect(await findUnrefused(forbiddenUrlsFor(privately.port), (url) => fetch(url))).toEqual([]);
    expect(privately.connections()).toBe(0);
  });

  it("refuses every URL of the table as the target of a redirect", async () => {
    const privately = await listenPrivately();
    const locations = forbiddenLocationsFor(privately.port);
    expect(locations.length).toBeGreaterThan(90);
    const hopping = await listenHttp((request, response) => {
      response.writeHead(302, { location: locations[Number(request.url?.slice(1))] }).end();
    });
    const { fetch } = guardedFetch([`127.0.0.1:${hopping.port}`]);
    const unrefused = await findUnrefused(locations, (_, index) => fetch(`${hopping.origin}/${index}`));
    expect(unrefused).toEqual([]);
    expect(privately.connections()).toBe(0);
  });

  it("reaches what the configuration allows, by host and port, by address and by range", async () => {
    const server = await listenHttp((_request, response) => response.end("inside"));
    const allowed = [`127.0.0.1:${server.port}`, "127.0.0.1", "127.0.0.0/8"];
    for (const entry of allowed) {
      const { body } = await guardedFetch([entry]).fetch(server.origin);
      expect(Buffer.from(body).toString()).toBe("inside");
    }
    const { status } = await guardedFetch([`localhost:${server.port}`]).fetch(`http://localhost:${server.port}/`);
    expect(status).toBe(200);
    await expect(guardedFetch([`127.0.0.1:${server.port + 1}`]).fetch(server.origin)).rejects.toMatchObject(refusal);
    await expect(guardedFetch(["10.0.0.0/8"]).fetch(server.origin)).rejects.toMatchObject(refusal);
  });
});
