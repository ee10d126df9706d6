import { describe, expect, it } from "vitest";
import { makeHome, serveHere } from "../../server/server-here.ts";
import { call, send } from "./access-world.ts";

const unknownId = "01890000-0000-7000-8000-000000000000";

describe("/call", () => {
  it("tells an error with its details, over the network and over the local socket", async () => {
    const { url, token, local } = await serveHere(makeHome());
    expect(await call(url, "job_get", { token, body: { id: unknownId } })).toMatchObject({
      status: 404,
      headers: { "content-type": "application/problem+json", "x-longhaul-version": expect.any(String) as string },
      body: { code: "not_found", details: { job: unknownId }, instance: "/call/job_get" },
    });
    await expect(local.call("job_get", { id: unknownId })).rejects.toMatchObject({
      code: "not_found",
      details: { job: unknownId },
    });
  });

  it("has the operations alone, and takes them as JSON by POST", async () => {
    const { url, token, local } = await serveHere(makeHome());
    expect((await call(url, "nonsense", { token })).status).toBe(404);
    await expect(local.start("nonsense", {})).rejects.toMatchObject({ code: "not_found" });
    const headers = { authorization: `Bearer ${token}` };
    expect((await send(`${url}/call/server_status`, { method: "GET", headers })).status).toBe(404);
    const asText = { ...headers, "content-type": "text/plain" };
    expect((await send(`${url}/call/server_status`, { headers: asText })).status).toBe(415);
  });

  it("refuses a body that is too large", async () => {
    const { url, token } = await serveHere(makeHome());
    const body = { id: "x".repeat(4_000_001) };
    expect(await call(url, "job_get", { token, body })).toMatchObject({ status: 413, body: { code: "too_large" } });
  });
});
