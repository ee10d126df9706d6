import { describe, expect, it } from "vitest";
import { listenHttp, listenPrivately } from "./listeners.ts";
import { forbiddenLocationsFor, forbiddenUrls, forbiddenUrlsFor } from "./ssrf-table.ts";
import { guardedFetch } from "./world.ts";

const refusal = { code: expect.stringMatching(/^(blocked_address|bad_url)$/) as string, retryable: false };

describe("where a guarded fetch goes", () => {
  it("refuses every URL of the table before it connects", async () => {
    const privately = await listenPrivately();
    const { fetch } = guardedFetch();
    expect(forbiddenUrls.length).toBeGreaterThanOrEqual(60);
    for (const url of forbiddenUrlsFor(privately.port)) {
      await expect(fetch(url), url).rejects.toMatchObject(refusal);
    }
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
    for (const [index, location] of locations.entries()) {
      await expect(fetch(`${hopping.origin}/${index}`), location).rejects.toMatchObject(refusal);
    }
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
