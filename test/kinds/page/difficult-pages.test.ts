import { describe, expect, test } from "vitest";
import { cleanPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld, type PageRequest } from "./world.ts";

const onlyMotion: PageRequest = { features: ["motion"], screenshots: false };
const onlyQuality: PageRequest = { features: ["quality"], screenshots: false };

describe.skipIf(!hasBrowser)("an analysis of a difficult page", () => {
  const world = usePageWorld();

  test("stuck in a loop falls back to reading its HTML, and says so", async () => {
    const { url } = await startSite({
      "/": `<!doctype html><title>stuck</title><h1>Loop</h1><script>for (;;);</script>`,
    });
    const found = await world().analyze({ url: `${url}/`, timeouts_ms: { load: 1_500 }, ...onlyMotion });
    expect(found).toMatchObject({ method: "static", page: { title: "stuck" } });
    expect(found.phases[0]).toMatchObject({ name: "load", state: "timed_out" });
    // The page is gone, and the browser free for others.
    const other = await startSite({ "/": "<!doctype html><title>next</title><p>x" });
    expect(await world().analyze({ url: `${other.url}/`, ...onlyMotion })).toMatchObject({ method: "browser" });
  });

  test("that gets stuck later loses only the phases that need it", async () => {
    const page = `<!doctype html><title>later</title><p>x<script>addEventListener("resize", () => { for (;;); });</script>`;
    const { url } = await startSite({ "/": page });
    const found = await world().analyze({
      url: `${url}/`,
      features: ["layout", "motion", "responsive"],
      viewports: [{ name: "small", width: 400, height: 400 }],
      timeouts_ms: { responsive: 1_500 },
    });
    expect(found.phases.map(({ name, state }) => `${name} ${state}`)).toContain("responsive timed_out");
    expect(found.layout).toBeDefined();
    expect(found.responsive).toBeUndefined();
  });

  test("with dialogs and downloads goes on, and tells of them", async () => {
    const page = `<!doctype html><html lang="en"><title>dialogs</title><p>x<script>alert("hello"); confirm("really?"); addEventListener("load", () => { location.href = "/file"; });</script>`;
    const { url } = await startSite({
      "/": page,
      "/file": (_request, response) => {
        response.writeHead(200, {
          "content-type": "application/octet-stream",
          "content-disposition": "attachment; filename=a.bin",
        });
        response.end("x".repeat(1_000));
      },
    });
    const { quality } = await world().analyze({ url: `${url}/`, ...onlyQuality });
    expect(quality?.findings.map(({ id }) => id)).toEqual(expect.arrayContaining(["dialogs", "downloads"]));
  });

  test("of ten megabytes is judged by its beginning, and no file of it is too large for a message", async () => {
    const row = `<div class="row" data-note="${"to make it heavy ".repeat(25)}"><p>A row.</p></div>\n`;
    const { url } = await startSite({
      "/": `<!doctype html><html lang="en"><title>heavy</title>${row.repeat(Math.ceil(10_000_000 / row.length))}`,
    });
    const found = await world().analyze({
      url: `${url}/`,
      features: ["layout", "motion", "responsive"],
      viewports: [{ name: "small", width: 400, height: 400 }],
      include_html: true,
    });
    expect(found.warnings.map(({ code }) => code)).toEqual(["page_large"]);
    expect(found.layout).toBeDefined();
    const sizes = new Map(found.artifacts.map(({ name, bytes }) => [name, bytes]));
    expect(sizes.get("page.html")).toBe(8_000_000);
    expect(Math.max(...sizes.values())).toBe(8_000_000);
    // The browser would take very long to draw all of it, so it is its window that is shown.
    expect(found.page.height).toBeGreaterThan(60_000);
    expect(await world().pictureSize("screenshot.jpg")).toEqual({ width: 1_440, height: 900 });
  });

  test("that is long or wide is shown from its top, as much as a picture can hold", async () => {
    const { url } = await startSite({
      "/": `<!doctype html><title>long</title><div style="height:20000px">long</div>`,
    });
    const wide = { name: "wide", width: 4_000, height: 500 };
    await world().analyze({ url: `${url}/`, features: ["responsive"], viewports: [wide] });
    expect(await world().pictureSize("screenshot.jpg")).toEqual({ width: 1_440, height: 8_000 });
    expect(await world().pictureSize("screenshot-wide.jpg")).toEqual({ width: 4_000, height: 4_000 });
  });

  test("with WebGL is drawn", async () => {
    const page = `<!doctype html><title>gl</title><canvas id="gl" width="64" height="64"></canvas><script>
      const gl = document.getElementById("gl").getContext("webgl"); let n = 0;
      if (gl) (function draw() { gl.clearColor((n++ % 7) / 7, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); requestAnimationFrame(draw); })();
    </script>`;
    const { url } = await startSite({ "/": page });
    const found = await world().analyze({ url: `${url}/`, ...onlyMotion });
    expect(found.page.hasWebgl).toBe(true);
    expect(found.motion?.canvases[0]?.context).toMatch(/^webgl/);
  });

  test("whose scripts replaced what every script relies on is read all the same", async () => {
    const page = `<!doctype html><title>hostile</title><h1>Hi</h1><script>
      Array.prototype.map = () => { throw new Error("no map"); }; document.querySelector = () => null; window.getComputedStyle = undefined;
      Object.defineProperty(window, "axe", { get() { throw new Error("no axe"); } });
    </script>`;
    const { url } = await startSite({ "/": page });
    const found = await world().analyze({ url: `${url}/`, ...onlyQuality });
    expect(found.page.title).toBe("hostile");
    expect(found.quality?.accessibility).not.toBeNull();
  });

  test("with animations that no clock can measure is analysed all the same", async () => {
    const page = `<!doctype html><title>endless</title><p id="slow">x<script>
      document.getElementById("slow").animate([{ opacity: 0 }, { opacity: 1 }], { duration: Infinity, id: "endless" });
    </script>`;
    const { url } = await startSite({ "/": page });
    const { motion } = await world().analyze({ url: `${url}/`, ...onlyMotion });
    expect(motion?.patterns).toMatchObject([{ name: "endless", durationMs: 0 }]);
  });

  test("that answers with an error fails with its status", async () => {
    const { url } = await startSite({ "/": (_request, response) => void response.writeHead(503).end("later") });
    await expect(world().analyze({ url: `${url}/` })).rejects.toMatchObject({
      state: { failure: { code: "http_error", retryable: true } },
    });
  });

  test("that cannot be reached fails with the reason", async () => {
    await expect(world().analyze({ url: "http://127.0.0.1:1/" })).rejects.toThrow(/not_allowed|Port 1 /);
    const { url } = await startSite({});
    const closed = url.replace(/\d+$/, "9");
    await expect(world().analyze({ url: `${closed}/` })).rejects.toThrow(/Port 9 /);
  });

  test("on an address that is not public is refused before a job is made", async () => {
    await expect(world().engine.submit({ kind: "page", input: { url: "http://10.0.0.1/" } })).rejects.toMatchObject({
      code: "not_allowed",
    });
  });

  test("that robots.txt forbids is not opened, unless told to", async () => {
    const site = await startSite({ "/": cleanPage, "/robots.txt": "User-agent: *\nDisallow: /" });
    await expect(world().analyze({ url: `${site.url}/` })).rejects.toMatchObject({
      state: { failure: { code: "robots_disallowed", retryable: false } },
    });
    expect(site.requests).not.toContain("/");
    expect(await world().analyze({ url: `${site.url}/`, respect_robots: false, ...onlyMotion })).toMatchObject({
      status: 200,
    });
  });
});
