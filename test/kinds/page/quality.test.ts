import { describe, expect, test } from "vitest";
import type { PageAnalysis } from "../../../src/kinds/page/contract.ts";
import { endMovements } from "../../../src/kinds/page/in-page/settle-page.ts";
import { readAxe } from "../../../src/kinds/page/quality/axe.ts";
import { faultyPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld, type PageRequest, type PageWorld } from "./world.ts";

/** No title, no main part, no main heading, a level left out, text outside of landmarks. */
const lostPage = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"></head><body style="margin:0">
<h2>Second</h2><h4>Fourth</h4><p>Outside of every landmark.</p>
<img id="silent" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" style="position:absolute;left:500px;top:2000px;width:64px;height:32px">
<button id="hidden" style="display:none"></button></body></html>`;

const request: PageRequest = { features: ["quality"], screenshots: false, check_links: false };

/** What axe finds when it is run as its own documentation says. */
async function runAxeItself({ browser }: PageWorld, url: string): Promise<Record<string, number>> {
  const source = await readAxe();
  return browser.use({ viewport: { width: 1_440, height: 900 } }, new AbortController().signal, async (session) => {
    const page = await session.openPage();
    await page.goto(url);
    const counts = await page.evaluate(
      `(async () => { ${source}\n; return Object.fromEntries((await axe.run()).violations.map(({ id, nodes }) => [id, nodes.length])); })()`,
    );
    return counts as Record<string, number>;
  });
}

function countsOf({ quality }: PageAnalysis): Record<string, number> {
  const own = (quality?.findings ?? []).filter(({ id }) => id.startsWith("a11y-"));
  return Object.fromEntries(own.map(({ id, count }) => [id.slice("a11y-".length), count]));
}

describe.skipIf(!hasBrowser)("the quality of a page", () => {
  const world = usePageWorld();

  test("counts what axe counts, with all of its rules, and tells nothing of it twice", async () => {
    const { url } = await startSite({ "/lost": lostPage, "/faulty": faultyPage });
    for (const path of ["/lost", "/faulty"]) {
      const found = await world().analyze({ url: `${url}${path}`, ...request });
      const axe = await runAxeItself(world(), `${url}${path}`);
      expect(countsOf(found)).toEqual(axe);
      expect(found.quality?.accessibility).toMatchObject({
        violations: Object.keys(axe).length,
        elements: Object.values(axe).reduce((sum, count) => sum + count, 0),
      });
      const ids = (found.quality?.findings ?? []).map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
      expect(ids.filter((id) => /^(title|heading-(missing|skip))/.test(id))).toEqual(
        ids.filter((id) => id === "title-long"),
      );
    }
    const lost = await world().analyze({ url: `${url}/lost`, ...request });
    expect(Object.keys(countsOf(lost))).toEqual(
      expect.arrayContaining([
        "document-title",
        "heading-order",
        "landmark-one-main",
        "page-has-heading-one",
        "region",
      ]),
    );
  });

  test("is judged when movements that end soon are over, and without waiting for those that do not", async () => {
    const { url } = await startSite({ "/": "<!doctype html><p>soon</p><b>never</b><i>late</i>" });
    const running = await world().browser.use({}, new AbortController().signal, async (session) => {
      const page = await session.openPage();
      await page.goto(url);
      await page.evaluate(`for (const [name, duration, iterations] of [["p", 600, 1], ["b", 600, Infinity], ["i", 600000, 1]])
        document.querySelector(name).animate([{ opacity: 0 }, { opacity: 1 }], { duration, iterations }).id = name;`);
      await page.evaluate(endMovements());
      return page.evaluate(`document.getAnimations().map(({ id }) => id).toSorted()`);
    });
    expect(running).toEqual(["b", "i"]);
  });

  test("says where on the page each element is that violates a rule, with rule, impact and help", async () => {
    const { url } = await startSite({ "/": lostPage });
    const { quality } = await world().analyze({ url: `${url}/`, ...request });
    expect(quality?.findings.find(({ id }) => id === "a11y-image-alt")).toMatchObject({
      severity: "critical",
      selectors: ["#silent"],
      boxes: [{ x: 500, y: 2_000, width: 64, height: 32 }],
      help: expect.stringContaining("image-alt") as string,
    });
    for (const { selectors, boxes } of quality?.findings ?? []) expect(boxes).toHaveLength(selectors.length);
  });

  test("is rated by what can be measured: how it is made, and how it fits", async () => {
    const { url } = await startSite({ "/": faultyPage });
    const { quality } = await world().analyze({ url: `${url}/`, ...request });
    expect(Object.keys(quality?.axes ?? {})).toEqual(["craftsmanship", "contextuality"]);
    const [made, fits] = [quality?.axes.craftsmanship?.score ?? 0, quality?.axes.contextuality?.score ?? 0];
    expect(quality?.score).toBe(Math.round(made * 0.6 + fits * 0.4));
    // What many templates have is told, with what shows it, and costs nothing.
    expect(quality?.cliches).toMatchObject([{ type: "violet_gradient" }]);
  });
});

describe("the quality of a page that no browser looked at", () => {
  const world = usePageWorld({ executable: "/nowhere/chromium" });

  test("has those of axe's rules that HTML alone can answer, under the same names", async () => {
    const { url } = await startSite({ "/": lostPage.replace(' lang="en"', "") });
    const { quality } = await world().analyze({ url: `${url}/`, ...request });
    expect(quality?.accessibility).toBeNull();
    expect(Object.keys(countsOf({ quality } as PageAnalysis)).toSorted()).toEqual([
      "document-title",
      "heading-order",
      "html-has-lang",
      "page-has-heading-one",
    ]);
  });
});
