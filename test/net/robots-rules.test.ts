import { describe, expect, it } from "vitest";
import { readRobots } from "../../src/net/robots/robots-rules.ts";

const origin = "https://site.example";
const read = (text: string): ReturnType<typeof readRobots> => readRobots(`${origin}/robots.txt`, text, "Longhaul");

/** Rules of one group, a path, and whether it may be fetched. */
const table: [string, string, boolean][] = [
  ["Disallow:", "/anything", true],
  ["Disallow: /", "/", false],
  ["Disallow: /", "/robots.txt", true],
  ["Disallow: /private", "/private", false],
  ["Disallow: /private", "/private/deep", false],
  ["Disallow: /private", "/privately", false],
  ["Disallow: /private", "/public", true],
  ["Disallow: /Private", "/private", true],
  ["disallow: /x # a comment", "/x", false],
  ["DISALLOW : /x", "/x", false],
  // The longest match decides (RFC 9309, 5.2).
  ["Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", false],
  ["Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/", true],
  ["Disallow: /example/\nAllow: /example/page", "/example/page.html", true],
  ["Disallow: /page\nAllow: /page", "/page", true],
  // Wildcards and ends (RFC 9309, 2.2.3).
  ["Disallow: *.gif$", "/images/a.gif", false],
  ["Disallow: *.gif$", "/images/a.gif?x=1", true],
  ["Disallow: /*/secret", "/a/b/secret/c", false],
  ["Disallow: /*/secret", "/secret", true],
  ["Disallow: /a*b*c$", "/aXbXbXc", false],
  ["Disallow: /a*b*c$", "/aXcXb", true],
  ["Disallow: /exact$", "/exact", false],
  ["Disallow: /exact$", "/exactly", true],
  ["Disallow: /*ab$", "/ab", false],
  ["Disallow: /a*a$", "/a", true],
  ["Disallow: /*", "/x", false],
  ["Disallow: /*?", "/page?query", false],
  ["Disallow: /*?", "/page", true],
  ["Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-*.html", false],
  ["Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-x.html", true],
  ["Disallow: /path/foo-%24", "/path/foo-$", false],
  ["Disallow: /price$list", "/price$list", false],
  // One octet in two spellings (RFC 9309, 2.2.2).
  ["Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", false],
  ["Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false],
  ["Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", false],
  ["Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", false],
  ["Disallow: /foo/bar/%E3%83%84", "/foo/bar/ツ", false],
  ["Disallow: /foo/bar/%e3%83%84", "/foo/bar/ツ", false],
  ["Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false],
  ["Disallow: /private", "/%70rivate", false],
  ["Disallow: /a b", "/a%20b", false],
  ["Disallow: /100%", "/100%", false],
  ["Disallow: /private", "/public/../private", false],
  ["nonsense\nDisallow /x\n: /y\nDisallow: /z", "/z", false],
];

describe("the rules of a robots.txt", () => {
  it.each(table)("%j: %s", (rules, path, isAllowed) => {
    expect(read(`User-agent: *\n${rules}`).isAllowed(origin + path)).toBe(isAllowed);
  });

  it("are those of every group that names us, and only else those for everybody", () => {
    const text = [
      "User-agent: *\nDisallow: /everybody",
      "User-agent: other\nUser-agent: LONGHAUL/2.0\nDisallow: /first",
      "User-agent: Longhaul-Images\nDisallow: /images",
      "User-agent: longhaul\nDisallow: /second",
    ].join("\r\n\r\n");
    const { isAllowed } = read(text);
    const paths = ["/everybody", "/first", "/second", "/images"];
    expect(paths.map((path) => isAllowed(origin + path))).toEqual([true, false, false, true]);
    expect(readRobots(`${origin}/robots.txt`, text, "Stranger").isAllowed(`${origin}/everybody`)).toBe(false);
  });

  it("stay together across lines that are not rules", () => {
    const { isAllowed } = read("User-agent: Longhaul\nSitemap: /s.xml\nHost: x\nUser-agent: b\nDisallow: /x");
    expect(isAllowed(`${origin}/x`)).toBe(false);
  });

  it("allow everything where none applies, and ignore rules before the first group", () => {
    expect(read("Disallow: /\nUser-agent: other\nDisallow: /").isAllowed(`${origin}/x`)).toBe(true);
    expect(read("").isAllowed(`${origin}/x`)).toBe(true);
    expect(read("<!doctype html><title>Not found</title>").isAllowed(`${origin}/x`)).toBe(true);
  });

  it("tell a delay, within reason", () => {
    expect(read("User-agent: *\nCrawl-delay: 1.5").crawlDelayMs).toBe(1_500);
    expect(read("User-agent: *\nCrawl-delay: 99999").crawlDelayMs).toBe(60_000);
    expect(read("User-agent: *\nCrawl-delay: soon").crawlDelayMs).toBeUndefined();
    expect(read("User-agent: *\nCrawl-delay: -1").crawlDelayMs).toBeUndefined();
    expect(read("User-agent: other\nCrawl-delay: 3\nUser-agent: *\nDisallow:").crawlDelayMs).toBeUndefined();
  });

  it("list sitemaps as absolute URLs, each once", () => {
    const { sitemaps } = read(
      "Sitemap: /a.xml\nSitemap: https://cdn.example/b.xml\nsitemap: /a.xml\nSitemap:\nSitemap: http://[",
    );
    expect(sitemaps).toEqual([`${origin}/a.xml`, "https://cdn.example/b.xml"]);
  });

  it("are matched in little time, whatever the pattern", () => {
    const bomb = `/${"*a".repeat(5_000)}$`;
    const many = Array.from({ length: 10_000 }, (_, index) => `Disallow: /${index}/*/x`).join("\n");
    const { isAllowed } = read(`User-agent: *\nDisallow: ${bomb}\n${many}`);
    expect(isAllowed(`${origin}/${"a".repeat(4_000)}b`)).toBe(true);
    expect(isAllowed(`${origin}/9999/1/x`)).toBe(false);
  });
});
