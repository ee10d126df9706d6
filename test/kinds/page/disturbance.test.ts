import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PageAnalysis } from "../../../src/kinds/page/analysis.ts";
import { browserSteps, type BrowserSteps } from "../../../src/kinds/page/steps.ts";
import { until } from "../../until.ts";
import { cleanPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, PageWorld, usePageWorld } from "./world.ts";

/** The real steps, but the one that the job's audience names fails. */
function failOnDemand(): BrowserSteps {
  const entries = Object.entries(browserSteps).map(([name, step]) => {
    const run = (...words: Parameters<BrowserSteps["layout"]>): unknown =>
      words[0].input.audience === name ? Promise.reject(new Error("out of luck")) : step(...words);
    return [name, run];
  });
  return Object.fromEntries(entries) as never;
}

async function openWorld(options: Parameters<typeof PageWorld.open>[0]): Promise<PageWorld> {
  const world = await PageWorld.open(options);
  onTestFinished(() => world.close());
  return world;
}

describe.skipIf(!hasBrowser)("an analysis that is disturbed", () => {
  const failing = usePageWorld({ steps: failOnDemand() });

  test.each(["layout", "motion", "quality", "responsive"] as const)(
    "goes on when %s fails, and names it",
    async (name) => {
      const { url } = await startSite({ "/": cleanPage });
      const { engine } = failing();
      const job = await engine.submit({ kind: "page", input: { url: `${url}/`, checkLinks: false, audience: name } });
      await engine.wait(job.id, { timeoutMs: 40_000 });
      expect((await engine.get(job.id)).state).toMatchObject({ status: "succeeded", partial: true });
      const found = (await engine.result(job.id)) as unknown as PageAnalysis;
      expect(found.phases).toHaveLength(6);
      expect(found.phases.find((phase) => phase.name === name)).toMatchObject({
        state: "failed",
        reason: "out of luck",
      });
      expect(found).not.toHaveProperty(name);
    },
  );

  test("fails when the page cannot be loaded", async () => {
    const { url } = await startSite({ "/": cleanPage });
    await expect(failing().analyze({ url: `${url}/`, audience: "load" })).rejects.toThrow("out of luck");
  });

  test("is tried again with a new browser when the browser dies, without doing phases twice", async () => {
    const loads: number[] = [];
    let kills = 1;
    const steps: BrowserSteps = {
      ...browserSteps,
      load: async (parts) => {
        loads.push(1);
        return browserSteps.load(parts);
      },
      quality: async (parts, page) => {
        if (kills-- > 0) {
          const { page: open } = await parts.keeper.get();
          const session = await open.context().browser()?.newBrowserCDPSession();
          const info = await session?.send("SystemInfo.getProcessInfo");
          process.kill(info?.processInfo.find(({ type }) => type === "browser")?.id ?? 0, "SIGKILL");
        }
        return browserSteps.quality(parts, page);
      },
    };
    const world = await openWorld({ steps });
    const { url } = await startSite({ "/": cleanPage });
    const found = await world.analyze({ url: `${url}/`, checkLinks: false });
    expect(found.phases.every(({ state }) => state === "done")).toBe(true);
    expect(loads).toHaveLength(1);
  });

  test("ends at once when it is cancelled, and leaves nothing of its browser", async () => {
    const world = await openWorld({});
    const { url } = await startSite({ "/": `<!doctype html><title>x</title><script>for (;;);</script>` });
    const job = await world.engine.submit({ kind: "page", input: { url: `${url}/` } });
    await until(async () => {
      const { state } = await world.engine.get(job.id);
      return state.status === "running" && state.progress?.phase === "load";
    });
    await world.engine.cancel(job.id, "enough");
    await world.engine.wait(job.id, { timeoutMs: 20_000 });
    expect((await world.engine.get(job.id)).state).toMatchObject({ status: "cancelled", reason: "enough" });
    await world.browser.close();
    expect(existsSync(join(world.home, "browser"))).toBe(false);
  });

  test("without a browser reads the HTML and the style sheets, and says how to install one", async () => {
    const world = await openWorld({ executable: "/nowhere/chromium" });
    const { url } = await startSite({
      "/": cleanPage.replace("<style>", '<link rel="stylesheet" href="/more.css"><style>'),
      "/more.css": ".x:hover { color: red } .x { transition: color 0.3s ease-out }",
    });
    const found = await world.analyze({ url: `${url}/` });
    expect(found).toMatchObject({ method: "static", methodReason: expect.stringContaining("install") as string });
    expect(found.layout?.sections.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["navigation", "hero", "pricing", "contact", "footer"]),
    );
    expect(found.motion?.patterns).toContainEqual(
      expect.objectContaining({ type: "css_transition", trigger: "hover", durationMs: 300, easing: "ease-out" }),
    );
    expect(found.quality?.findings).toEqual([]);
    expect(found.phases).toContainEqual({ name: "responsive", state: "skipped", ms: 0, reason: "needs a browser" });
    expect(readdirSync(world.home)).not.toContain("browser");
  });
});
