import { expect, it } from "vitest";
import { defineKind } from "../../../src/job/kind.ts";
import { pageContract } from "../../../src/kinds/page/contract.ts";
import { useHttpWorld } from "./world.ts";

const page = defineKind({
  ...pageContract,
  onInterrupt: "fail",
  run: () => Promise.reject(new Error("Nothing looks at pages here.")),
});
const world = useHttpWorld({ kinds: [page] });

it("takes a page in the same words by its own path and as a job of its kind, and stores them as they were sent", async () => {
  const input = {
    url: "https://example.org/",
    features: ["motion"],
    wait_until: "networkidle",
    timeouts_ms: { motion: 5_000 },
    frames: { step_px: 100 },
    check_links: false,
  };
  const answers = [
    await world().ask("/v1/pages", { body: { ...input, name: "mine" } }),
    await world().ask("/v1/jobs", { body: { kind: "page", input, name: "mine" } }),
  ];
  for (const { status, body } of answers) {
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: "page", name: "mine" });
    expect(await world().engine.input(String(body["id"]))).toEqual(input);
  }
});

it.each([
  [{ url: "https://example.org/", waitUntil: "load" }, /waitUntil/],
  [{ url: "https://example.org/", frames: { stepPx: 100 } }, /frames\.stepPx/],
  [{ url: "https://example.org/", features: { layout: true } }, /features/],
  [{ url: "example.org" }, /url/],
  [{ features: ["layout"] }, /must have a url or html/],
])("refuses %j by both of them, and says why", async (input, reason) => {
  const byPath = await world().ask("/v1/pages", { body: input });
  const byKind = await world().ask("/v1/jobs", { body: { kind: "page", input } });
  for (const { status, body } of [byPath, byKind]) {
    expect({ status, code: body["code"] }).toEqual({ status: 400, code: "invalid_input" });
    expect(body["detail"]).toMatch(reason);
  }
});

it("takes HTML without an address", async () => {
  const { status, body } = await world().ask("/v1/pages", { body: { html: "<h1>Hello</h1>" } });
  expect(status).toBe(201);
  expect(await world().engine.input(String(body["id"]))).toEqual({ html: "<h1>Hello</h1>" });
});

it("answers 200 with the job of before when the Idempotency-Key is known, and 409 for another page under it", async () => {
  const headers = { "idempotency-key": "k" };
  const ask = (url: string): ReturnType<ReturnType<typeof world>["ask"]> =>
    world().ask("/v1/pages", { body: { url }, headers });
  const first = await ask("https://example.org/");
  const second = await ask("https://example.org/");
  const other = await ask("https://example.org/other");
  expect([first.status, second.status, other.status]).toEqual([201, 200, 409]);
  expect(second.body).toMatchObject({ id: first.body["id"], is_known: true });
});
