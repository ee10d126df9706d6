import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { createParsePool, type ParsePool } from "../../../src/kinds/crawl/parse/parse-pool.ts";

const file = pathToFileURL(join(import.meta.dirname, "../../../.build/src/kinds/crawl/parse/worker.js"));
const plan = JSON.stringify({ fields: ["markdown"] });
const open: ParsePool[] = [];

afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close();
});

function openPool(options: Parameters<typeof createParsePool>[0]): ParsePool {
  const pool = createParsePool({ file, threads: 1, ...options });
  open.push(pool);
  return pool;
}

function page(html: string): Parameters<ParsePool["parse"]>[0] {
  return { body: Buffer.from(html), contentType: "text/html", url: "https://a.example/", plan };
}

it("a page that needs too much memory is given up, and those behind it are parsed", async () => {
  const pool = openPool({ memoryMb: 40, timeoutMs: 60_000 });
  const monster = pool.parse(page(`<table>${"<tr><td>x<td>y".repeat(600_000)}</table>`));
  const others = ["one", "two", "three", "four"].map((title) => pool.parse(page(`<title>${title}</title><p>text`)));
  await expect(monster).rejects.toMatchObject({
    code: "parse_failed",
    message: expect.stringMatching(/40 MB/) as string,
  });
  expect((await Promise.all(others)).map((parsed) => parsed.title)).toEqual(["one", "two", "three", "four"]);
});

it("a page that takes too long is given up, and those behind it are parsed", async () => {
  const pool = openPool({ timeoutMs: 3_000, memoryMb: 4_000 });
  const slow = pool.parse(page(`<table><tr>${"<td>x".repeat(6_000_000)}`));
  const other = pool.parse(page("<title>Other</title>"));
  await expect(slow).rejects.toMatchObject({ code: "parse_failed", message: expect.stringMatching(/3 s/) as string });
  await expect(other).resolves.toMatchObject({ title: "Other" });
});

it("elements that nobody closed do not make a large page slow", async () => {
  const pool = openPool({ timeoutMs: 30_000 });
  const pages = ["<p><b><i>word ", "<ul><li>word ", "<blockquote>word ", "<span>word "].map(
    (piece) => `<title>Open</title>${piece.repeat(1_000_000 / piece.length)}`,
  );
  for (const html of pages) await expect(pool.parse(page(html))).resolves.toMatchObject({ title: "Open" });
});

it("what is left when it closes is told so", async () => {
  const pool = openPool({});
  const ends = Promise.allSettled(Array.from({ length: 10 }, () => pool.parse(page("<p>x"))));
  await pool.close();
  expect((await ends).some(({ status }) => status === "rejected")).toBe(true);
  await expect(pool.parse(page("<p>x"))).rejects.toMatchObject({ code: "stopped" });
});
