import { describe, expect, test } from "vitest";
import type { JobState } from "../../../src/index.ts";
import { cleanPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld, type PageWorld } from "./world.ts";

const never = (): void => undefined;
const slowLinks = cleanPage.replace("<footer>", '<footer><a href="/never">Never</a>');
const refusal = async (world: PageWorld, input: { url: string } & Record<string, unknown>): Promise<JobState> =>
  world.analyze(input).then(
    (found) => expect.fail(`no refusal, but ${found.method}`),
    (error: { state: JobState }) => error.state,
  );

describe("the time limits of an analysis", () => {
  const world = usePageWorld({ executable: "/nowhere/chromium" });

  test("end a phase that takes too long, and it alone", async () => {
    const { url } = await startSite({ "/": slowLinks, "/never": never });
    const found = await world().analyze({ url: `${url}/`, timeouts_ms: { quality: 1_000 } });
    expect(found.phases).toContainEqual({
      name: "quality",
      state: "timed_out",
      ms: expect.any(Number) as number,
      reason: "The phase quality was not done within 1 s.",
    });
    expect(found.layout).toBeDefined();
    expect(found.phases.filter(({ state }) => state === "timed_out")).toHaveLength(1);
  });

  test("end all phases together, and what was found until then is told", async () => {
    const { url } = await startSite({ "/": slowLinks, "/never": never });
    const found = await world().analyze({ url: `${url}/`, timeouts_ms: { total: 2_000 } });
    expect(found.phases.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "load done",
      "layout done",
      "motion done",
      "quality timed_out",
      "responsive skipped",
      "performance skipped",
      "report done",
    ]);
  });

  test.each(["load", "total"])("end a page that never answers: %s", async (limit) => {
    const { url } = await startSite({ "/": never });
    expect(await refusal(world(), { url: `${url}/`, timeouts_ms: { [limit]: 1_000 } })).toMatchObject({
      status: "timed_out",
      failure: { code: "timed_out", message: expect.stringMatching(/phase load/) as string },
    });
  });

  test("read a page of very many elements, wide or deep, while others go on", async () => {
    const { url } = await startSite({ "/wide": "<p>x".repeat(200_000), "/deep": "<div>".repeat(300_000) });
    let turns = 0;
    const others = setInterval(() => (turns += 1), 10);
    expect(await world().analyze({ url: `${url}/wide` })).toMatchObject({ method: "static" });
    expect(await world().analyze({ url: `${url}/deep` })).toMatchObject({ method: "static" });
    clearInterval(others);
    // On the main thread they would have left room for next to none.
    expect(turns).toBeGreaterThan(10);
  });

  test("hold for a robots.txt that never answers", async () => {
    const { url } = await startSite({ "/": cleanPage, "/robots.txt": never });
    expect(await refusal(world(), { url: `${url}/`, timeouts_ms: { load: 1_000 } })).toMatchObject({
      status: "timed_out",
    });
  });

  test("fail the job of who does not accept a part", async () => {
    const { url } = await startSite({ "/": slowLinks, "/never": never });
    for (const accept of ["in_time", "complete"]) {
      expect(await refusal(world(), { url: `${url}/`, accept, timeouts_ms: { quality: 1_000 } })).toMatchObject({
        status: "timed_out",
        failure: { code: "timed_out", message: "The phase quality was not done within 1 s." },
      });
    }
  });
});

describe.skipIf(!hasBrowser)("the time limits of an analysis in the browser", () => {
  const world = usePageWorld();

  test.each([
    ["never answers", never],
    [
      "answers and never ends",
      (_request: unknown, response: { write: (text: string) => void }) => response.write("<p>"),
    ],
  ])("end a page that %s, in the browser and then without it", async (_how, answer) => {
    const { url, requests } = await startSite({ "/": answer });
    const state = await refusal(world(), { url: `${url}/`, timeouts_ms: { load: 2_000 } });
    expect(state).toMatchObject({ status: "timed_out", failure: { code: "timed_out" } });
    expect(requests.filter((path) => path === "/")).toHaveLength(2);
  });
});
