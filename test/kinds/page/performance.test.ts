import { expect, describe, test } from "vitest";
import type { Performance } from "../../../src/kinds/page/performance/performance.ts";
import { badlyMade, faults, wellMade } from "./loading-site.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld, type PageRequest } from "./world.ts";

describe.skipIf(!hasBrowser)("how a page loads", () => {
  const world = usePageWorld();
  const measure = async (input: PageRequest): Promise<Performance> => {
    const found = await world().analyze({ features: ["performance"], ...input });
    if (found.performance === undefined) throw new Error(JSON.stringify(found.phases));
    return found.performance;
  };

  test("is measured with ratings and elements, and nothing is found where nothing is wrong", async () => {
    const site = await startSite(wellMade);
    const found = await measure({ url: `${site.url}/` });
    expect(found.findings).toEqual([]);
    expect(found.notes).toEqual([]);
    expect(found.conditions).toMatchObject({ preset: "none", isOwnLoad: false, cpuSlowdown: 1, downloadKbps: null });
    const { firstPaint, largestPaint, layoutShift, firstByte } = found.vitals;
    expect(firstByte.ms).toBeGreaterThan(0);
    expect(firstPaint.ms).toBeGreaterThan(0);
    expect(largestPaint.ms).toBeGreaterThanOrEqual(firstPaint.ms);
    expect(largestPaint.element).toMatchObject({ selector: "body > p", crop: "crop-largest-paint.jpg" });
    expect(largestPaint.element?.snippet).toMatch(/^<p>Text of the page/);
    expect(layoutShift).toEqual({ score: 0, rating: "good", shifts: [] });
    expect(found.unusedCss).toMatchObject({ unusedBytes: 0 });
    expect(found.unusedScript).toMatchObject({ unusedBytes: 0 });
    expect(
      found.images.map(({ selector, isSized, isLazy, isBelowWindow }) => [selector, isSized, isLazy, isBelowWindow]),
    ).toEqual([
      ["#boat", true, false, false],
      ["body > img:nth-of-type(2)", true, true, true],
    ]);
    // The page is loaded once for all of it.
    expect(site.requests.filter((path) => path === "/")).toHaveLength(1);
    const box = largestPaint.element?.box;
    const size = await world().pictureSize("crop-largest-paint.jpg");
    expect(size.width).toBeLessThanOrEqual(480);
    expect(box?.y).toBeGreaterThan(200);
  });

  test("is measured to the byte where files hold what nobody uses, and come unpacked", async () => {
    const { url } = await startSite(badlyMade);
    const found = await measure({ url: `${url}/` });
    expect(found.unusedCss?.files[0]).toEqual({ url: `${url}/big.css`, isInline: false, ...faults.css });
    expect(found.unusedScript?.files[0]).toEqual({ url: `${url}/big.js`, isInline: false, ...faults.script });
    expect(found.uncompressed).toEqual(
      expect.arrayContaining([
        { url: `${url}/big.css`, bytes: faults.css.bytes, compressedBytes: faults.packedCss },
        { url: `${url}/big.js`, bytes: faults.script.bytes, compressedBytes: faults.packedScript },
      ]),
    );
    expect(found.shortCached.map((file) => [file.url, file.seconds])).toEqual([[`${url}/big.css`, 3_600]]);
    expect(found.blocking.map((file) => [file.url, file.type])).toEqual([
      [`${url}/big.css`, "stylesheet"],
      [`${url}/big.js`, "script"],
    ]);
    expect(found.tree).toMatchObject({ widest: "#list", children: faults.rows });
    expect(found.duplicates).toMatchObject([{ url: `${url}/big.js`, times: 2 }]);
    expect(found.redirects).toEqual([{ url: `${url}/there.js`, from: [`${url}/moved.js`], isMain: false }]);
    const photo = found.images.find(({ selector }) => selector === "#large");
    // 200 × 150 at double density are 400 × 300 pixels: a quarter of 800 × 600.
    const oversizeBytes = Math.round(faults.photo.length * 0.75);
    expect(photo).toMatchObject({ format: "png", bytes: faults.photo.length, oversizeBytes });
    expect(photo?.formatBytes).toBe(Math.round((faults.photo.length - oversizeBytes) * 0.26));
  });

  test("is told as findings with their elements, what they would save, and pictures of the first", async () => {
    const { url } = await startSite(badlyMade);
    const { findings, vitals } = await measure({ url: `${url}/` });
    const byId = new Map(findings.map((finding) => [finding.id, finding]));
    expect([...byId.keys()].toSorted()).toEqual(
      [
        "cache-short",
        "duplicate",
        "image-format",
        "image-lazy-first",
        "image-no-size",
        "image-not-lazy",
        "image-too-large",
        "redirect",
        "render-blocking",
        "tree-large",
        "uncompressed",
        "unused-css",
        "unused-script",
      ].toSorted(),
    );
    const placesOf = (id: string): string[] => byId.get(id)?.places.map(({ selector }) => selector) ?? [];
    expect(placesOf("image-too-large")).toEqual(["#large"]);
    expect(placesOf("image-no-size")).toEqual(["#roomless"]);
    expect(placesOf("image-not-lazy")).toEqual(["#far"]);
    expect(placesOf("image-lazy-first")).toEqual(["#first"]);
    expect(placesOf("tree-large")[0]).toBe("#list");
    expect(byId.get("image-too-large")?.places[0]?.box).toMatchObject({ width: 200, height: 150 });
    expect(byId.get("image-format")).toMatchObject({ isEstimate: true });
    expect(byId.get("uncompressed")?.savedBytes).toBeGreaterThanOrEqual(
      faults.css.bytes - faults.packedCss + faults.script.bytes - faults.packedScript,
    );
    const [shift] = vitals.layoutShift.shifts;
    expect(vitals.layoutShift.score).toBeGreaterThan(0);
    expect(["#after", "#list"]).toContain(shift?.element?.selector);
    const crops = (
      await world().engine.artifacts((await world().engine.list({ kind: "page" })).jobs[0]?.id ?? "")
    ).filter(({ name }) => name.startsWith("crop-"));
    expect(crops.length).toBeGreaterThan(3);
    expect(crops.length).toBeLessThanOrEqual(8);
    expect(Math.max(...crops.map(({ bytes }) => bytes))).toBeLessThanOrEqual(60_000);
  });

  test("under a preset it is loaded once more for that alone, afresh and slowed down as the result says", async () => {
    const site = await startSite(wellMade);
    const found = await world().analyze({ url: `${site.url}/`, features: ["layout", "performance"], preset: "mobile" });
    expect(found.phases.filter(({ state }) => state === "done").map(({ name }) => name)).toEqual([
      "load",
      "layout",
      "performance",
      "report",
    ]);
    expect(found.performance?.conditions).toEqual({
      preset: "mobile",
      viewport: { width: 412, height: 823 },
      scale: 1.75,
      latencyMs: 150,
      downloadKbps: 1_638.4,
      uploadKbps: 750,
      cpuSlowdown: 4,
      isOwnLoad: true,
    });
    expect(found.performance?.findings).toEqual([]);
    const { vitals } = found.performance ?? {};
    // Small, though the screen has more pixels than the page.
    expect(vitals?.largestPaint.element?.crop).toBe("crop-largest-paint.jpg");
    expect((await world().pictureSize("crop-largest-paint.jpg")).width).toBeLessThanOrEqual(480);
    // The page waits for its own answer, and for its style sheet.
    expect(vitals?.firstByte.ms).toBeGreaterThanOrEqual(150);
    expect(vitals?.firstPaint.ms).toBeGreaterThanOrEqual(300);
    expect(site.requests.filter((path) => path === "/a.css")).toHaveLength(2);
    // The other phases saw the window that they were asked to see.
    expect(found.page.width).toBeGreaterThan(1_000);
    const desktop = await measure({ url: `${site.url}/`, preset: "desktop", screenshots: false });
    expect(desktop.conditions).toMatchObject({ preset: "desktop", latencyMs: 40, cpuSlowdown: 1 });
    expect(desktop.vitals.largestPaint.element?.crop).toBeUndefined();
  });

  test("a page that says it is one for phones is given a phone", async () => {
    const seen: string[] = [];
    const { url } = await startSite({
      "/": (request, response) => {
        seen.push(request.headers["user-agent"] ?? "");
        response.setHeader("content-type", "text/html").end("<!doctype html><title>x</title><p>text");
      },
    });
    await measure({ url: `${url}/`, preset: "mobile" });
    expect(seen[0]).not.toContain("Mobile");
    expect(seen[1]).toMatch(/\(Linux; Android 10; K\).* Mobile Safari\//);
  });

  test("findings of other phases tell where their elements are as well", async () => {
    const { url } = await startSite({
      "/": `<!doctype html><html lang="en"><title>x</title><body style="margin:0"><p id="dim" style="position:absolute;left:40px;top:1200px;width:300px;height:30px;margin:0;color:#ccc;background:#fff">Hardly to be read</p>`,
    });
    const { quality } = await world().analyze({ url: `${url}/`, features: ["quality"], check_links: false });
    const contrast = quality?.findings.find(({ id }) => id === "a11y-color-contrast");
    expect(contrast?.places).toEqual([
      {
        selector: "#dim",
        snippet: expect.stringMatching(/^<p id="dim" style=".*">Hardly to be read$/) as string,
        box: { x: 40, y: 1_200, width: 300, height: 30 },
        crop: "crop-a11y-color-contrast.jpg",
      },
    ]);
    // With a margin of 12 pixels on each side.
    expect(await world().pictureSize("crop-a11y-color-contrast.jpg")).toEqual({ width: 324, height: 54 });
  });

  test("what is too large to be looked at is named, and the rest is measured", async () => {
    const { url } = await startSite({
      "/": `<!doctype html><title>x</title><link rel="stylesheet" href="/many.css"><p>text</p><script src="/many.js"></script>`,
      "/many.css": "p{}".repeat(70_000),
      "/many.js": `[${"()=>{},".repeat(70_000)}]`,
    });
    const found = await measure({ url: `${url}/` });
    expect(found.unusedCss).toBeNull();
    expect(found.unusedScript).toBeNull();
    expect(found.notes).toEqual([
      "Unused CSS could not be measured: the page has more than 50000 rules.",
      "Unused scripts could not be measured: the page has more than 40000 functions.",
    ]);
    expect(found.findings.map(({ id }) => id)).toContain("uncompressed");
    const long = await startSite({
      "/": `<!doctype html><title>x</title><style>p { color: red }</style><link rel="stylesheet" href="/long.css"><p>text`,
      "/long.css": `.nowhere { content: "${"x".repeat(2_000_000)}" }`,
    });
    const { unusedCss, notes } = await measure({ url: `${long.url}/` });
    expect(unusedCss).toEqual({
      bytes: 16,
      unusedBytes: 0,
      files: [{ url: `${long.url}/`, isInline: true, bytes: 16, unusedBytes: 0 }],
    });
    expect(notes).toEqual([
      "Unused CSS was not looked for in 1 style sheet: too large, or too many.",
      "Compression was not tried with 1 file: too large, or too many.",
    ]);
  });
});
