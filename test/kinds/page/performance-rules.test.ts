import { describe, expect, test } from "vitest";
import { judgeLoad } from "../../../src/kinds/page/performance/analyze-performance.ts";
import { readRules } from "../../../src/kinds/page/performance/css-rules.ts";
import type { LoadFacts } from "../../../src/kinds/page/performance/load-facts.ts";
import { rateTime, rateVital } from "../../../src/kinds/page/performance/rate-vitals.ts";
import type { RequestFacts } from "../../../src/kinds/page/measurements.ts";

const page = "https://www.example.co.uk/";

function request(url: string, more: Partial<RequestFacts> = {}): RequestFacts {
  return {
    url,
    type: "script",
    method: "GET",
    status: 200,
    bytes: 1_000,
    bodyBytes: 3_000,
    failure: "",
    mimeType: "text/javascript",
    encoding: "br",
    protocol: "h2",
    cacheControl: "max-age=31536000",
    expires: "",
    isFromCache: false,
    isBlocking: false,
    redirects: [],
    startMs: 0,
    respondedMs: 10,
    endMs: 20,
    isMain: false,
    ...more,
  };
}

function load(requests: readonly RequestFacts[], more: Partial<LoadFacts> = {}): LoadFacts {
  return {
    url: page,
    conditions: {
      preset: "none",
      viewport: { width: 1_440, height: 900 },
      scale: 1,
      latencyMs: 0,
      downloadKbps: null,
      uploadKbps: null,
      cpuSlowdown: 1,
      isOwnLoad: false,
    },
    vitals: {
      largestPaintMs: 100,
      largestPaintElement: "",
      firstPaintMs: 100,
      layoutShift: 0,
      shifts: [],
      longTasks: 0,
      blockingMs: 0,
      tasks: [],
      frameRequests: 0,
      intersectionObservers: 0,
      scrollListeners: 0,
      responseMs: 10,
      interactiveMs: 100,
      loadedMs: 100,
      protocol: "h2",
    },
    requests: [request(page, { type: "document", isMain: true, cacheControl: "" }), ...requests],
    images: [],
    tree: { elements: 100, depth: 5, deepest: "p", children: 5, widest: "main" },
    css: [],
    script: [],
    packed: [],
    domains: { "www.example.co.uk": "example.co.uk", "cdn.example.co.uk": "example.co.uk", "far.net": "far.net" },
    notes: [],
    ...more,
  };
}

const ids = (facts: LoadFacts): string[] => judgeLoad(facts).problems.map(({ id }) => id);

describe("what is wrong with a load", () => {
  test("is nothing where everything is as it should be", () => {
    expect(ids(load([request("https://cdn.example.co.uk/a.js")]))).toEqual([]);
  });

  test("files are third parties when they come from another registrable domain", () => {
    const { judged, problems } = judgeLoad(
      load([
        request("https://cdn.example.co.uk/a.js"),
        request("https://far.net/b.js", { bytes: 400_000 }),
        request("https://far.net/c.js", { bytes: 150_000 }),
      ]),
    );
    expect(judged.thirdParties).toEqual([{ domain: "far.net", bytes: 550_000, requests: 2 }]);
    expect(problems.map(({ id, evidence }) => `${id}: ${evidence}`)).toEqual(["third-party: 550.0 KB from far.net"]);
  });

  test("old HTTP counts only where it could be newer, and only for many files", () => {
    const files = (count: number, scheme: string): RequestFacts[] =>
      Array.from({ length: count }, (_, nth) =>
        request(`${scheme}://www.example.co.uk/${nth}.js`, { protocol: "http/1.1" }),
      );
    expect(ids(load(files(6, "https")))).toEqual(["http1"]);
    expect(ids(load(files(5, "https")))).toEqual([]);
    expect(ids(load(files(6, "http")))).toEqual([]);
  });

  test("one redirect of the page is no fault, two are, and one of its own files is", () => {
    const main = (redirects: readonly string[]): LoadFacts =>
      load([], { requests: [request(page, { type: "document", isMain: true, redirects })] });
    expect(ids(main(["http://example.co.uk/"]))).toEqual([]);
    expect(ids(main(["http://example.co.uk/", "https://example.co.uk/"]))).toEqual(["redirect"]);
    expect(ids(load([request(`${page}new.js`, { redirects: [`${page}old.js`] })]))).toEqual(["redirect"]);
    expect(ids(load([request("https://far.net/new.js", { redirects: ["https://far.net/old.js"] })]))).toEqual([]);
  });

  test.each([
    ["max-age=604800", "", []],
    ["max-age=604799", "", [604_799]],
    ["no-cache", "", [0]],
    ["", "", [null]],
    ["no-store", "", []],
    ["private, max-age=60", "", []],
    ["", "thu, 01 jan 1970 00:00:00 gmt", [0]],
    ["", "fri, 01 jan 2100 00:00:00 gmt", []],
  ])("files are kept long enough from seven days on: %s %s", (cacheControl, expires, seconds) => {
    const { judged } = judgeLoad(load([request(`${page}a.js`, { cacheControl, expires })]));
    expect(judged.shortCached.map((file) => file.seconds)).toEqual(seconds);
  });

  test("a blocking style sheet is a fault when it is large or of another site, a blocking script always", () => {
    const style = { type: "stylesheet", isBlocking: true };
    expect(ids(load([request(`${page}a.css`, style)]))).toEqual([]);
    expect(ids(load([request(`${page}a.css`, { ...style, bytes: 60_000 })]))).toEqual(["render-blocking"]);
    expect(ids(load([request("https://far.net/a.css", style)]))).toEqual(["render-blocking"]);
    expect(ids(load([request(`${page}a.js`, { isBlocking: true })]))).toEqual(["render-blocking"]);
  });

  test("what is unused saves as much as of it came over the wire", () => {
    const css = [{ url: `${page}a.css`, isInline: false, length: 40_000, unused: 30_000 }];
    const sheet = request(`${page}a.css`, { type: "stylesheet", bytes: 10_000, bodyBytes: 40_000 });
    const { problems } = judgeLoad(load([sheet], { css }));
    expect(problems).toMatchObject([{ id: "unused-css", savedBytes: 7_500, isEstimate: true }]);
    expect(problems[0]?.evidence).toBe("30.0 KB of 40.0 KB in 1 file");
  });

  test("text that gzip would make hardly smaller may be sent as it is", () => {
    const packed = [
      { url: `${page}a.js`, bytes: 100_000, compressedBytes: 91_000 },
      { url: `${page}b.js`, bytes: 100_000, compressedBytes: 89_000 },
      { url: `${page}c.js`, bytes: 2_000, compressedBytes: 700 },
    ];
    expect(judgeLoad(load([], { packed })).judged.uncompressed.map(({ url }) => url)).toEqual([`${page}b.js`]);
  });
});

test("vitals are rated by the public thresholds, and not at all where nothing was measured", () => {
  expect([2_500, 2_501, 4_000, 4_001].map((ms) => rateVital("largestPaint", ms))).toEqual([
    "good",
    "needs_improvement",
    "needs_improvement",
    "poor",
  ]);
  expect(rateVital("layoutShift", 0.1)).toBe("good");
  expect(rateVital("layoutShift", 0.26)).toBe("poor");
  expect(rateTime("firstPaint", 0)).toEqual({ ms: 0, rating: null });
});

describe("the rules of a style sheet", () => {
  const textsOf = async (css: string): Promise<string[]> =>
    (await readRules(css)).map(({ start, end }) => css.slice(start, end));

  test("are told with their selectors, also inside of groups", async () => {
    expect(await textsOf("a { b: c }\n@media (x) { d{e:f} @supports (g) { h { i: j } } } k{}")).toEqual([
      "a { b: c }",
      "d{e:f}",
      "h { i: j }",
      "k{}",
    ]);
  });

  test("are neither fonts, nor steps of animations, nor statements", async () => {
    expect(
      await textsOf('@charset "x"; @import "y{}"; @font-face { a: b } @keyframes k { to { c: d } } @layer a, b; p{}'),
    ).toEqual(["p{}"]);
  });

  test("may hold rules, strings, comments and escapes, and are cut short at the end", async () => {
    const rules = ["a { & b { c: d } }", 'e::before { content: "}" }', "f { /* } */ }", String.raw`.g\{h { i: j }`];
    expect(await textsOf(rules.join(" /* { */ "))).toEqual(rules);
    expect(await textsOf("a { b: c")).toEqual(["a { b: c"]);
    expect(await textsOf("a { b: 'c")).toEqual(["a { b: 'c"]);
  });
});
