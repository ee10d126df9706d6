import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PageAnalysis } from "../../../src/kinds/page/contract.ts";
import type { Frames } from "../../../src/kinds/page/motion/motion.ts";
import { cleanPage, faultyPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld } from "./world.ts";

const ids = ({ quality }: PageAnalysis): string[] => (quality?.findings ?? []).map(({ id }) => id);

describe.skipIf(!hasBrowser)("a page analysis", () => {
  const world = usePageWorld();

  test("finds the parts of a clean page, and nothing wrong with it", async () => {
    const { url } = await startSite({ "/": cleanPage });
    const found = await world().analyze({ url: `${url}/` });
    expect(found).toMatchObject({ method: "browser", status: 200, warnings: [] });
    expect(found.phases.map(({ name, state }) => `${name} ${state}`)).toEqual(
      ["load", "layout", "motion", "quality", "responsive", "performance", "report"].map((name) => `${name} done`),
    );
    expect(found.quality?.findings).toEqual([]);
    expect(found.quality?.grade).toBe("A");
    expect(found.quality?.score).toBeGreaterThanOrEqual(90);
    expect(found.quality?.vitals?.largestPaintMs).toBeGreaterThan(0);
    expect(found.motion).toMatchObject({ total: 0, warnings: [] });
    expect(found.responsive?.problems).toEqual([]);
    const sections = found.layout?.sections ?? [];
    expect(sections.map(({ type }) => type)).toEqual([
      "navigation",
      "hero",
      "feature",
      "pricing",
      "testimonial",
      "contact",
      "footer",
    ]);
    expect(sections[1]).toMatchObject({ heading: "Tools for small harbours", position: 1 });
    expect(Math.min(...sections.map(({ confidence }) => confidence))).toBeGreaterThan(0.7);
    expect(found.layout?.grid).toMatchObject({ usesGrid: true, columns: 3, gap: 24 });
    expect(found.layout?.palette.theme).toBe("light");
    const colors = found.layout?.palette.colors ?? [];
    expect(colors).toContainEqual(expect.objectContaining({ color: "#fdfcf8", role: "background" }));
    expect(colors).toContainEqual(expect.objectContaining({ color: "#0b5d68", role: "accent" }));
    expect(found.layout?.typography.body).toMatchObject({ family: "Georgia", size: 18, lineHeight: 1.6 });
    expect(found.layout?.typography.used[0]?.used[0]?.glyphs).toBeGreaterThan(0);
    expect(found.layout?.variables.list).toContainEqual({ name: "--sea", value: "#0b5d68", scope: ":root" });
    expect(found.layout?.landmarks.map(({ role }) => role)).toEqual(
      expect.arrayContaining(["banner", "navigation", "main", "contentinfo"]),
    );
  });

  test("finds what is wrong with a faulty page, and where", async () => {
    const { url } = await startSite({ "/": faultyPage, "/there": "<p>hello" });
    const found = await world().analyze({ url: `${url}/` });
    expect(ids(found)).toEqual(
      expect.arrayContaining([
        "a11y-color-contrast",
        "a11y-image-alt",
        "a11y-html-has-lang",
        "a11y-document-title",
        "a11y-landmark-one-main",
        "a11y-region",
        "viewport-missing",
        "image-broken",
        "link-broken",
        "vitals-cls",
        "console-errors",
        "doctype-missing",
        "request-failed",
      ]),
    );
    const contrast = found.quality?.findings.find(({ id }) => id === "a11y-color-contrast");
    expect(contrast?.evidence).toContain("1.91");
    expect(found.quality?.links).toMatchObject({ checked: 2, broken: [{ url: `${url}/gone`, reason: "404" }] });
    expect(found.quality?.vitals?.layoutShift).toBeGreaterThan(0.1);
    expect(found.quality?.grade).toBe("F");
    expect(found.quality?.score).toBeLessThan(60);
    expect(found.quality?.cliches.map(({ type }) => type)).toEqual(["violet_gradient"]);
    const [first] = found.quality?.recommendations ?? [];
    expect(first?.priority).toBe("high");
    expect(first?.gain).toBeGreaterThan(0);
  });

  test("is stored as its phases have found it, to the last field", async () => {
    const { url } = await startSite({ "/": faultyPage, "/there": "<p>hello" });
    await world().analyze({ url: `${url}/`, frames: { max: 2 } });
    const { engine, home } = world();
    const id = (await engine.list({ kind: "page" })).jobs[0]?.id ?? "";
    const stored = (await engine.result(id)) as Record<string, unknown>;
    const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((file) => file.includes(id));
    for (const part of ["layout", "motion", "quality", "responsive", "performance"]) {
      const file = files.find((name) => name.endsWith(`pieces/${part}`)) ?? "";
      const kept = JSON.parse(readFileSync(join(home, file), "utf8")) as { value: object };
      expect(stored[part]).toStrictEqual(kept.value);
    }
  });

  test("tells what moves, what for and at what cost", async () => {
    const { url } = await startSite({ "/": faultyPage, "/there": "<p>hello" });
    const { motion } = await world().analyze({
      url: `${url}/`,
      features: ["motion"],
    });
    const byName = new Map(motion?.patterns.map((pattern) => [pattern.name, pattern]));
    expect(byName.get("spin")).toMatchObject({
      type: "css_animation",
      category: "loading_state",
      cost: "compositor",
      durationMs: 1_000,
      iterations: -1,
      easing: "linear",
      isRunning: true,
      properties: ["transform"],
    });
    expect(byName.get("grow")).toMatchObject({ cost: "layout", durationMs: 2_000 });
    expect(byName.get("transition of color")).toMatchObject({
      trigger: "hover",
      category: "hover_effect",
      durationMs: 200,
    });
    expect(byName.get("unused")).toBeUndefined();
    expect(motion?.unused).toEqual({ patterns: 0, keyframes: 1 });
    expect(motion?.hasReducedMotion).toBe(false);
    expect(motion?.warnings.map(({ code }) => code)).toEqual(["no_reduced_motion", "infinite_motion", "layout_motion"]);
  });

  test("tells scripted animations, libraries and drawn canvases", async () => {
    const page = `<!doctype html><title>x</title><canvas id="drawn" width="50" height="50"></canvas><div id="moved">a</div><script>
      window.gsap = { version: "3.12.5" };
      document.getElementById("moved").animate([{ opacity: 0 }, { opacity: 1 }], { duration: 5000, iterations: Infinity, id: "blink" });
      const context = document.getElementById("drawn").getContext("2d"); let n = 0;
      (function draw() { context.fillStyle = "hsl(" + (n++ * 40) + " 90% 50%)"; context.fillRect(0, 0, 50, 50); requestAnimationFrame(draw); })();
    </script>`;
    const { url } = await startSite({ "/": page });
    const { motion } = await world().analyze({
      url: `${url}/`,
      features: ["motion"],
    });
    expect(motion?.libraries).toEqual([{ name: "GSAP", version: "3.12.5", evidence: "window.gsap" }]);
    expect(motion?.canvases).toEqual([{ selector: "#drawn", context: "2d", isAnimated: true }]);
    expect(motion?.patterns).toContainEqual(
      expect.objectContaining({ name: "blink", type: "web_animation", cost: "compositor" }),
    );
    expect(motion?.usesScript.frameRequests).toBeGreaterThan(0);
  });

  test("takes pictures while it scrolls through the page, and tells what changed by itself", async () => {
    const still = `<!doctype html><title>x</title><style>div { height: 700px; margin: 100px; background: black } p { background: #246 }</style>${"<p>line<div>box</div>".repeat(4)}`;
    const moving = `${still}<script>let isWhite = false; addEventListener("scroll", () => {
      isWhite = !isWhite; for (const box of document.querySelectorAll("div")) box.style.background = isWhite ? "white" : "black"; });</script>`;
    const { url } = await startSite({
      "/still": still,
      "/moving": moving,
      "/shifting": `${still}<script>addEventListener("scroll", () => { for (const box of document.querySelectorAll("div")) box.style.marginTop = "250px"; });</script>`,
      "/short": "<!doctype html><title>x</title><p>short",
    });
    const framesOf = async (path: string, frames: object): Promise<Frames> => {
      const { motion, artifacts } = await world().analyze({
        url: `${url}${path}`,
        features: ["motion"],
        frames,
        screenshots: false,
      });
      const files = artifacts.map(({ name }) => name).filter((name) => name.startsWith("frame-"));
      expect(motion?.frames?.list.map(({ name }) => name)).toEqual(files);
      return motion?.frames ?? { stepPx: 0, list: [] };
    };
    const calm = await framesOf("/still", { step_px: 500, format: "png" });
    expect(calm.list.map(({ name, top }) => `${name} ${top}`).slice(0, 3)).toEqual([
      "frame-0000.png 0",
      "frame-0001.png 500",
      "frame-0002.png 1000",
    ]);
    expect(calm.list.map(({ changed }) => changed)).toEqual([null, ...calm.list.slice(1).map(() => 0)]);
    // The step is made wider, so that the frames reach the end of the page.
    const lively = await framesOf("/moving", { step_px: 10, max: 6 });
    expect(lively.list).toHaveLength(6);
    expect(lively.list.at(-1)?.top).toBe(calm.list.at(-1)?.top);
    expect(Math.min(...lively.list.slice(1).map(({ changed }) => changed ?? 0))).toBeGreaterThan(0.2);
    // What moves by itself is told apart from what only changes its look.
    expect(calm.list.flatMap(({ shifts }) => shifts)).toEqual([]);
    const shifting = await framesOf("/shifting", { step_px: 300, max: 6 });
    const [shift] = shifting.list.flatMap(({ shifts = [] }) => shifts);
    expect(shift?.value).toBeGreaterThan(0.01);
    expect(shift?.box.height).toBeGreaterThan(100);
    expect((await framesOf("/short", {})).list.map(({ top }) => top)).toEqual([0, 0, 0, 0, 0]);
  });

  test("measures at each size how long and high lines of text are, and which pictures come in its size", async () => {
    const pixels = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='80' height='80'/%3E`;
    const page = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>lines</title>
      <style>p { font: 20px/1.5 serif; margin: 0; } body { margin: 0; }</style></head><body><p>${"word ".repeat(100)}</p><b>short</b>
      <img alt="" src="${pixels}"><img alt="" src="${pixels}" srcset="${pixels} 2x"><picture><img alt="" src="${pixels}"></picture><img alt="" src="${pixels}" width="9">
      </body></html>`;
    const { url } = await startSite({ "/": page });
    const { responsive } = await world().analyze({ url: `${url}/`, features: ["responsive"] });
    const [wide, , mobile] = responsive?.viewports ?? [];
    expect(wide?.runningText).toEqual({ characters: 144, height: 1.5 });
    expect(mobile?.runningText).toEqual({ characters: 37.5, height: 1.5 });
    expect(mobile?.images).toEqual({ count: 3, adaptive: 2 });
  });

  test("compares sizes of the window: columns, navigation, what is hidden, overflow, small targets", async () => {
    const page = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>sizes</title><style>
      .row { display: flex; flex-direction: row; } .toggle { display: none; } #side { display: block; }
      @media (max-width: 700px) { .row { flex-direction: column; } nav a { display: none; } .toggle { display: block; } #side { display: none; } h1 { font-size: 20px; } .wide { width: 900px; } }
      </style></head><body><nav><a href="#a">One</a><a href="#b">Two</a><a href="#c">Three</a><button class="toggle hamburger" style="width:10px;height:10px;padding:0" aria-label="menu"></button></nav>
      <h1>Sizes</h1><div class="row"><p>a</p><p>b</p></div><aside id="side">side</aside><div class="wide">wide</div></body></html>`;
    const { url } = await startSite({ "/": page });
    const { responsive } = await world().analyze({
      url: `${url}/`,
      features: ["responsive"],
    });
    const mobile = responsive?.viewports.find(({ name }) => name === "mobile");
    expect(mobile).toMatchObject({ navigation: "hamburger", smallTargets: { count: 1 } });
    expect(mobile?.overflow?.by).toBeGreaterThan(400);
    expect(responsive?.viewports[0]).toMatchObject({ navigation: "horizontal", overflow: null });
    const told = responsive?.differences.map(({ category, element }) => `${category} ${element}`);
    expect(told).toEqual(
      expect.arrayContaining(["navigation navigation", "visibility #side", "layout div.row", "typography h1"]),
    );
    expect(responsive?.breakpoints).toEqual([700]);
    expect(responsive?.problems.map(({ viewport, code }) => `${viewport} ${code}`)).toEqual(
      expect.arrayContaining(["mobile horizontal_overflow", "mobile small_targets"]),
    );
  });

  test("reads style sheets of other origins, which scripts in a page cannot", async () => {
    const other = await startSite({
      "/far.css": ":root { --far: #123456; } @media (max-width: 555px) { p { color: red } }",
    });
    const { url } = await startSite({
      "/": `<!doctype html><title>x</title><link rel="stylesheet" href="${other.url}/far.css"><p>far`,
    });
    const { layout, warnings } = await world().analyze({
      url: `${url}/`,
      features: ["layout"],
    });
    expect(layout?.variables.list).toEqual([{ name: "--far", value: "#123456", scope: ":root" }]);
    expect(layout?.breakpoints).toEqual([555]);
    expect(warnings).toEqual([]);
  });
});
