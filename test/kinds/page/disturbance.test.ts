import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { isAlive } from "../../../src/faces/cli/server/process-life.ts";
import type { PageAnalysis } from "../../../src/kinds/page/contract.ts";
import { browserSteps, type BrowserSteps } from "../../../src/kinds/page/steps.ts";
import { browserProcesses } from "../../net/browser/processes.ts";
import { until } from "../../until.ts";
import { cleanPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, PageWorld, usePageWorld, type PageRequest } from "./world.ts";

type Step = (...words: Parameters<BrowserSteps["layout"]>) => Promise<unknown>;

/** Which steps ran, and which processes were disturbed, since the last test began. */
const seen = { steps: [] as string[], processes: [] as number[] };

/** The real steps; the job's audience says what goes wrong in which of them, as in "SIGKILL quality". */
const steps = Object.fromEntries(
  Object.entries(browserSteps).map(([name, step]) => [name, disturb(name, step as Step)]),
) as never as BrowserSteps;

function disturb(name: string, step: Step): Step {
  return async (parts, page) => {
    const [what = "", where] = (parts.input.audience ?? "").split(" ");
    const isFirst = !seen.steps.includes(name);
    seen.steps.push(name);
    if (where === name && what.startsWith("SIG") && isFirst) {
      const { main, all } = await browserProcesses((await parts.keeper.get()).page.context());
      seen.processes = all;
      process.kill(main, what.replace("+fail", ""));
    }
    if (where === name && what.endsWith("fail") && isFirst) throw new Error("out of luck");
    return step(parts, page);
  };
}

beforeEach(() => {
  seen.steps = [];
  seen.processes = [];
});

async function openWorld(options: Parameters<typeof PageWorld.open>[0]): Promise<PageWorld> {
  const world = await PageWorld.open(options);
  onTestFinished(() => world.close());
  return world;
}

const quick = { check_links: false, screenshots: false, viewports: [{ name: "small", width: 400, height: 400 }] };

describe.skipIf(!hasBrowser)("an analysis that is disturbed", () => {
  // Nobody else's files are in it, so whatever is left there is ours. The browser wants its path short.
  let temporary = "";
  beforeAll(() => {
    temporary = mkdtempSync(join(tmpdir(), "lh-"));
    vi.stubEnv("TMPDIR", temporary);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true, force: true });
  });
  const world = usePageWorld({ steps, hungMs: 3_000 });

  test.each(["layout", "motion", "quality", "responsive", "performance", "report"] as const)(
    "goes on when %s fails, and names it",
    async (name) => {
      const { url } = await startSite({ "/": cleanPage });
      const { engine } = world();
      const job = await engine.submit({ kind: "page", input: { url: `${url}/`, ...quick, audience: `fail ${name}` } });
      // Nothing can be written where a folder stands.
      if (name === "report")
        mkdirSync(join(world().home, "output", job.id, "artifacts", ".report.html"), { recursive: true });
      await engine.wait(job.id, { timeoutMs: 40_000 });
      expect((await engine.get(job.id)).state).toMatchObject({ status: "succeeded", partial: true });
      const found = (await engine.result(job.id)) as unknown as PageAnalysis;
      expect(found.phases).toHaveLength(7);
      expect(found.phases.find((phase) => phase.name === name)).toMatchObject({
        state: "failed",
        reason: expect.stringMatching(/out of luck|illegal operation on a directory/) as string,
      });
      expect(found).not.toHaveProperty(name);
    },
  );

  test("fails with a failed phase where only a complete result is accepted", async () => {
    const { url } = await startSite({ "/": cleanPage });
    const input: PageRequest = { url: `${url}/`, features: ["layout"] };
    await expect(world().analyze({ ...input, audience: "fail layout", accept: "complete" })).rejects.toMatchObject({
      state: { failure: { code: "layout_failed", message: "The phase layout failed: out of luck", retryable: false } },
    });
    seen.steps = [];
    expect(await world().analyze({ ...input, audience: "fail layout", accept: "in_time" })).toMatchObject({
      method: "browser",
    });
  });

  test("fails when the page cannot be loaded", async () => {
    const { url } = await startSite({ "/": cleanPage });
    await expect(world().analyze({ url: `${url}/`, audience: "fail load" })).rejects.toThrow("out of luck");
  });

  test.each<[how: string, what: string, phase: string, preset?: PageRequest["preset"]]>([
    ["dies", "SIGKILL", "quality"],
    ["hangs", "SIGSTOP", "quality"],
    ["hangs, and the last phase has been given up", "SIGSTOP+fail", "responsive"],
    ["dies before the page is loaded under a preset", "SIGKILL", "performance", "mobile"],
  ])(
    "is tried again with a new browser when the browser %s, without doing phases twice",
    async (_how, what, phase, preset) => {
      const { url } = await startSite({ "/": cleanPage });
      const found = await world().analyze({ url: `${url}/`, ...quick, preset, audience: `${what} ${phase}` });
      expect(found).toMatchObject({ method: "browser" });
      expect(found.phases.map(({ state }) => state)).toEqual(Array.from({ length: 7 }, () => "done"));
      const once = ["load", "layout", "motion", "quality", "responsive", "performance"];
      expect(seen.steps.toSorted()).toEqual([...once, phase].toSorted());
      expect(seen.processes.length).toBeGreaterThan(2);
      await until(() => !seen.processes.some(isAlive));
      await world().browser.close();
      expect(readdirSync(world().home)).not.toContain("browser");
      expect(readdirSync(temporary)).toEqual([basename(world().home)]);
    },
  );

  test("ends at once when it is cancelled, and leaves nothing of its browser", async () => {
    const { url } = await startSite({ "/": `<!doctype html><title>x</title><script>for (;;);</script>` });
    const job = await world().engine.submit({ kind: "page", input: { url: `${url}/` } });
    await until(async () => {
      const { state } = await world().engine.get(job.id);
      return state.status === "running" && state.progress?.phase === "load";
    });
    await world().engine.cancel(job.id, "enough");
    await world().engine.wait(job.id, { timeoutMs: 20_000 });
    expect((await world().engine.get(job.id)).state).toMatchObject({ status: "cancelled", reason: "enough" });
    await world().browser.close();
    expect(readdirSync(world().home)).not.toContain("browser");
  });

  test("whose browser is not where it was said to be reads the HTML and the style sheets, and says so", async () => {
    const bare = await openWorld({ executable: "/nowhere/chromium" });
    const { url } = await startSite({
      "/": cleanPage
        .replace("<style>", '<link rel="stylesheet" href="/more.css"><style>')
        .replace("<main>", '<main><p class="x">Moves</p><p class="y">Moves</p>'),
      "/more.css":
        ".x:hover { color: red } .x { transition: color 0.3s ease-out } .y { animation: odd 2s 1.2.3 } .gone { animation: odd 1s } @media print { .x { transition: all 9s } }",
    });
    const found = await bare.analyze({ url: `${url}/` });
    expect(found).toMatchObject({
      method: "static",
      methodReason: expect.stringMatching(/^There is no program at \/nowhere\/chromium: install one/) as string,
    });
    expect(found.phases).toContainEqual({ name: "performance", state: "skipped", ms: 0, reason: "needs a browser" });
    expect(found.layout?.sections.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["navigation", "hero", "pricing", "contact", "footer"]),
    );
    expect(found.motion?.patterns).toContainEqual(
      expect.objectContaining({ type: "css_transition", trigger: "hover", durationMs: 300, easing: "ease-out" }),
    );
    expect(found.motion?.patterns).toContainEqual(expect.objectContaining({ name: "odd", iterations: 1 }));
    expect(found.motion).toMatchObject({ total: 2, unused: { patterns: 1 } });
    expect(found.quality?.findings).toEqual([]);
    expect(found.phases).toContainEqual({ name: "responsive", state: "skipped", ms: 0, reason: "needs a browser" });
    expect(readdirSync(bare.home)).not.toContain("browser");
    const report = (await bare.readFile("report.html")).toString("utf8");
    expect(report).toContain("nothing was drawn, run or measured. There is no program");
  });
});
