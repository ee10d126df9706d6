import { describe, expect, it } from "vitest";
import { HashSet, hashText } from "../../../src/kinds/crawl/site/hash-set.ts";
import { normaliseUrl } from "../../../src/kinds/crawl/site/page-url.ts";
import { createScope, type ScopeRules } from "../../../src/kinds/crawl/site/scope.ts";

describe("a URL's normal form", () => {
  const base = "https://a.example/docs/start?x=1";
  it.each([
    ["https://A.example:443/x#part", "https://a.example/x"],
    ["http://a.example:80", "http://a.example/"],
    ["http://a.example:8080/x", "http://a.example:8080/x"],
    ["https://a.example./x", "https://a.example/x"],
    ["/x?b=2&a=1&utm_source=mail&fbclid=3", "https://a.example/x?a=1&b=2"],
    ["/x?PHPSESSID=1", "https://a.example/x"],
    ["/x;jsessionid=5?y=1", "https://a.example/x?y=1"],
    ["/x?a=2&a=1&&", "https://a.example/x?a=2&a=1"],
    ["/x?flag&q=a+b%20c", "https://a.example/x?flag&q=a+b%20c"],
    ["/%7Euser/%c3%a9", "https://a.example/~user/%C3%A9"],
    ["../up", "https://a.example/up"],
    ["/a/../b", "https://a.example/b"],
    ["//b.example/x", "https://b.example/x"],
    ["plain", "https://a.example/docs/plain"],
    ["?page=2", "https://a.example/docs/start?page=2"],
  ])("of %s is %s", (text, normal) => {
    expect(normaliseUrl(text, base)).toBe(normal);
    expect(normaliseUrl(normal)).toBe(normal);
  });

  it.each([
    "javascript:alert(1)",
    "mailto:a@b.c",
    "http://",
    "https://user:pass@a.example/",
    "data:text/html,x",
    `/${"x".repeat(3_000)}`,
  ])("of %.30s does not exist", (text) => {
    expect(normaliseUrl(text, base)).toBeUndefined();
  });
});

describe("the scope of a crawl", () => {
  const rules: ScopeRules = { starts: ["https://www.a.example/docs/start"], within: "host", include: [], exclude: [] };
  const scoped = async (changes: Partial<ScopeRules>, urls: readonly string[]): Promise<boolean[]> => {
    const isInScope = await createScope({ ...rules, ...changes });
    return urls.map((url) => isInScope(url));
  };

  it("is the host, with or without www, but no other port, or the folder, or the site, or everything", async () => {
    const urls = [
      "https://a.example/x",
      "https://a.example:8443/x",
      "https://b.a.example/",
      "https://www.a.example/docs/y",
      "https://c.example/",
    ];
    expect(await scoped({}, urls)).toEqual([true, false, false, true, false]);
    expect(await scoped({ within: "path" }, urls)).toEqual([false, false, false, true, false]);
    expect(await scoped({ within: "any" }, urls)).toEqual([true, true, true, true, true]);
    const site = { starts: ["https://docs.python.org/3/"], within: "site" as const };
    expect(await scoped(site, ["https://www.python.org/", "https://python.com/"])).toEqual([true, false]);
  });

  it("is narrowed by globs and expressions", async () => {
    const urls = ["https://a.example/docs/x", "https://a.example/docs/old/x", "https://a.example/blog/1?p=2"];
    expect(await scoped({ include: ["/docs/**"], exclude: ["/docs/old/**"] }, urls)).toEqual([true, false, false]);
    expect(await scoped({ include: ["re:p=[0-9]$"] }, urls)).toEqual([false, false, true]);
    expect(await scoped({ exclude: ["https://a.example/blog/*"] }, urls)).toEqual([true, true, false]);
  });

  it("leaves out paths that go round in circles", async () => {
    const urls = [
      "https://a.example/a/b/a/b/a/b",
      "https://a.example/a/b/a/b/a/b/a/b",
      `https://a.example/${"x/y/".repeat(20)}`,
    ];
    expect(await scoped({}, urls)).toEqual([true, false, false]);
  });
});

it("a set of hashes holds what was added and nothing else", () => {
  const set = new HashSet();
  const hashes = Array.from({ length: 50_000 }, (_, index) => hashText(`https://a.example/${index}`));
  expect(hashes.every((hash) => set.add(hash))).toBe(true);
  expect(hashes.every((hash) => set.has(hash) && !set.add(hash))).toBe(true);
  expect(set.size).toBe(50_000);
  expect(set.has(hashText("https://a.example/other"))).toBe(false);
  expect([set.add(0), set.add(0), set.has(0)]).toEqual([true, false, true]);
});
