import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSite } from "../../kinds/crawl/world.ts";
import { makeSharedCli } from "./cli.ts";

const cli = makeSharedCli();
writeFileSync(join(cli.home, "config.json"), JSON.stringify({ net: { allow: ["127.0.0.1"] } }));

describe("crawl", () => {
  it("lists pages as they come, and says on stderr how it ended", async () => {
    const site = await openSite({ pages: 12 });
    const { code, stdout, stderr } = await cli.run([
      "crawl",
      `${site.url}/page/0`,
      "--include",
      "/page/*",
      "--no-sitemaps",
    ]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n").toSorted()).toEqual(
      Array.from({ length: 12 }, (_, page) => `${site.url}/page/${page}  Page ${page}`).toSorted(),
    );
    expect(stderr).toMatch(/succeeded after .+: 12 pages\n$/);
  });

  it("writes a folder of Markdown, or JSON lines", async () => {
    const site = await openSite({ pages: 3 });
    const words = ["crawl", `${site.url}/page/0`, "--include", "/page/*", "--no-sitemaps", "--out"];
    const folder = join(cli.home, "pages");
    expect((await cli.run([...words, folder])).code).toBe(0);
    const [host = ""] = readdirSync(folder);
    expect(readdirSync(join(folder, host, "page")).toSorted()).toEqual(["0.md", "1.md", "2.md"]);
    expect(readFileSync(join(folder, host, "page", "1.md"), "utf8")).toMatch(
      /^---\ntitle: "Page 1"\nurl: .*\n---\n\n# Page 1\n/,
    );
    const file = join(cli.home, "pages.jsonl");
    await cli.run([...words, file]);
    const pages = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { url: string });
    expect(pages.map(({ url }) => url).toSorted()).toEqual([0, 1, 2].map((page) => `${site.url}/page/${page}`));
    expect(pages[0]).toMatchObject({ markdown: expect.any(String) as string, links: expect.any(Array) as string[] });
  });

  it("says how many duplicates it has dropped, shows of which pages they are, and keeps them on request", async () => {
    const site = await openSite();
    const words = ["crawl", `${site.url}/dup/1`, `${site.url}/dup/2`, "--concurrency", "1", "--no-sitemaps"];
    const { stderr } = await cli.run(words);
    const [, id = ""] = /: 1 page, 1 duplicate dropped \(longhaul show (\S+) lists them\)\n$/.exec(stderr) ?? [];
    expect((await cli.run(["show", id])).stdout).toContain(
      `\n1 duplicate dropped (crawl with --duplicates keep for all)\n  ${site.url}/dup/2  exact of ${site.url}/dup/1\n`,
    );
    const near = await cli.run([...words, "--near-duplicates", "keep"]);
    expect(near.stderr).toContain("1 duplicate dropped");
    const all = await cli.run([...words, "--duplicates", "keep"]);
    expect(all.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(all.stderr).toMatch(/: 2 pages\n$/);
    expect((await cli.run([...words, "--duplicates", "some"])).code).toBe(2);
  });

  it("answers --json with the job, fails with its reason, and refuses what it does not know", async () => {
    const site = await openSite();
    const words = ["crawl", `${site.url}/page/0`, "--max-pages", "2"];
    expect(await cli.json(words)).toMatchObject({ state: "succeeded", result: { pages: 2 } });
    const failed = await cli.run(["crawl", `${site.url}/missing`, "--no-sitemaps"]);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("404") as string });
    expect(await cli.run(["crawl", "ftp://a.example"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("url must be an http or https URL") as string,
    });
    expect(await cli.run(["crawl", site.url, "--select", "price"])).toMatchObject({ code: 2 });
  });
});

it("map lists URLs, and markdown prints a page or its data", async () => {
  const site = await openSite({ pages: 5 });
  const mapped = await cli.run(["map", `${site.url}/page/0`, "--include", "/page/*"]);
  expect(mapped.stdout.trimEnd().split("\n").toSorted()).toEqual(site.plainPages().map((path) => site.url + path));
  expect(await cli.run(["markdown", `${site.url}/landing`])).toMatchObject({ code: 0, stdout: "You have landed.\n" });
  const { stdout } = await cli.run([
    "markdown",
    `${site.url}/product`,
    "--schema",
    '{"name":"string","price":"number"}',
  ]);
  expect(JSON.parse(stdout)).toEqual({ name: "Lamp", price: 1299.5 });
});
