import { expect, it } from "vitest";
import { z } from "zod";
import { defineKind } from "../../../../src/index.ts";
import { useHttpWorld } from "../world.ts";

const count = 250;

/** Leaves pages behind as a crawl does, among records of other kinds. */
const crawl = defineKind({
  name: "crawl",
  input: z.object({}),
  onInterrupt: "fail",
  run: async (_input, context) => {
    const pages = context.output("pages");
    pages.write(`${JSON.stringify({ type: "found", found: ["x".repeat(3_000_000)] })}\n`);
    for (let page = 0; page < count; page++) {
      const record = { type: "page", url: `https://a.example/${page}`, title: `Page ${page}`, markdown: "é\nö" };
      pages.write(`${JSON.stringify(record)}\n${JSON.stringify({ type: "failed", from: "https://b.example/" })}\n`);
    }
    return {};
  },
});

const world = useHttpWorld({ kinds: [crawl] });
const headers = { accept: "application/x-ndjson" };

async function lines(path: string): Promise<unknown[]> {
  const response = await world().fetch(path, { headers });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const text = await response.text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

it("the pages of a crawl come as JSON lines: all that are there, or as many as are asked for", async () => {
  const id = await world().submit({ kind: "crawl", input: {} });
  await world().engine.wait(id);
  const path = `/v1/jobs/${id}/pages`;
  const all = await lines(path);
  expect(all).toHaveLength(count);
  expect(all[count - 1]).toEqual({
    url: `https://a.example/${count - 1}`,
    title: `Page ${count - 1}`,
    markdown: "é\nö",
  });
  expect(await lines(`${path}?limit=3&fields=url`)).toEqual(
    [0, 1, 2].map((page) => ({ url: `https://a.example/${page}` })),
  );
  const { body } = await world().ask(path);
  expect(await lines(`${path}?cursor=${String(body["next"])}`)).toHaveLength(count);
});

it("what is wrong is told as everywhere", async () => {
  const puppet = await world().submit();
  const refused = await world().ask(`/v1/jobs/${puppet}/pages`, { headers });
  expect(refused).toMatchObject({ status: 400, body: { code: "invalid_input" } });
  const absent = await world().ask("/v1/jobs/nothing/pages", { headers });
  expect(absent.status).toBe(404);
});
