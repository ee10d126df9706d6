import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld, type PageWorld } from "./world.ts";

const hostile = `"><script>window.broken = 1</script><img src=x onerror="broken=1">'</style></title><svg onload=broken=1>`;
const escaped = hostile.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const long = "Averylongwordwithoutanyspace".repeat(12);

/** Every place from which a page's own words get into the report. */
const hostilePage = `<!doctype html><html lang="en"><head><title>${escaped}${long}</title>
  <meta name="description" content="${escaped}"><link rel="icon" href="javascript:broken=1">
  <style>.a { font-family: "</b><script>broken=1</script>"; animation: ${long} 1s; } @keyframes ${long} { to { width: 1px } }
  :root { --x: <script>broken=1</script>; } .${long}:hover { color: red } .${long} { transition: color 1s; background: url("javascript:broken=1") }</style></head>
  <body><section id="${escaped}" class="${escaped}"><h1>${escaped} ${long}</h1><p class="a ${long}" style="color:#ccc;background:#fff">${escaped}</p>
  <img src="/${escaped}" alt="${escaped}"><img src="javascript:broken=1"><a href="javascript:broken=1">script</a><a href="/gone?${escaped}">${escaped}</a>
  <a href="data:text/html,<script>broken=1</script>">data</a><nav aria-label="${escaped}"><a href="#x" style="font-size:8px">x</a></nav></section>
  <script>console.error(${JSON.stringify(hostile).replace(/</g, "\\u003c")}); console.error("${long}"); throw new Error(document.title);</script></body></html>`;

/** What happens when the report is opened, without the policy that would stop scripts even if there were any. */
async function open(world: PageWorld, width: number, look: (page: Page) => Promise<void>): Promise<string[]> {
  const report = (await world.readFile("report.html")).toString("utf8");
  const happened: string[] = [];
  const options = { bypassCSP: true, viewport: { width, height: 800 } };
  await world.browser.use(options, new AbortController().signal, async ({ openPage }) => {
    const page = await openPage();
    page.on("dialog", (dialog) => happened.push(`dialog ${dialog.message()}`));
    page.on("console", (message) => happened.push(`console ${message.text()}`));
    page.on("pageerror", (error) => happened.push(`error ${error.message}`));
    page.on("request", (request) => (request.url().startsWith("data:") ? 0 : happened.push(request.url())));
    await page.setContent(report, { waitUntil: "load" });
    await look(page);
  });
  return happened;
}

const wordyPage = `<!doctype html><html lang="en"><head><title>Internationalisation considerations for Donaudampfschifffahrtsgesellschaft timetables</title>
  <style>.extraordinarily-long-component-name__element--modifier-state { transition: background-color 1s; animation: extraordinarilyLongAnimationName 6s infinite }
  @keyframes extraordinarilyLongAnimationName { to { margin-left: 40px } } .extraordinarily-long-component-name__element--modifier-state:hover { color: red }</style></head>
  <body><nav><a href="/very/long/path/segments/that/never/end?first=somethingquitelong&second=anotherthingquitelong#fragment">Navigation</a></nav>
  <section class="testimonials"><h4>Uncharacteristically comprehensive telecommunications responsibilities</h4><blockquote>Characteristically incomprehensible.</blockquote>
  <div class="extraordinarily-long-component-name__element--modifier-state"><img src="/assets/images/a-very-long-file-name-that-does-not-exist.png"><input></div></section>
  <script>console.error("TypeError: Cannot read extraordinarilyLongPropertyName at https://cdn.example.org/assets/bundle.0123456789abcdef0123456789abcdef.min.js:1:123456")</script></body></html>`;

/** Words of which a part stands on another line. */
const brokenWords = `(() => {
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (const word of text.data.matchAll(/\\p{L}+/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
})()`;

describe.skipIf(!hasBrowser)("the report", () => {
  const world = usePageWorld();

  test("breaks no word in the middle, and nothing sticks out, in wide windows and narrow ones", async () => {
    const { url } = await startSite({ "/": wordyPage });
    const viewports = [{ name: "small", width: 400, height: 600 }];
    const found = await world().analyze({ url: `${url}/`, viewports });
    expect(found.motion?.total).toBeGreaterThan(0);
    for (const width of [360, 400, 760, 1_000, 1_400]) {
      await open(world(), width, async (page) => {
        expect(await page.evaluate(brokenWords)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
        const wide =
          "[...document.querySelectorAll('.wide')].filter((each) => each.scrollWidth > each.clientWidth).length";
        expect(await page.evaluate(wide)).toBe(0);
      });
    }
  });

  test("shows what a hostile page says, runs none of it, fetches nothing, and fits every window", async () => {
    const { url } = await startSite({ "/": hostilePage });
    const found = await world().analyze({
      url: `${url}/`,
      viewports: [{ name: "small", width: 400, height: 600 }],
      frames: { max: 2 },
    });
    expect(found.page.title).toContain(hostile);
    for (const width of [360, 1_200]) {
      const happened = await open(world(), width, async (page) => {
        expect(await page.title()).toContain(hostile);
        expect(await page.locator("h1").innerText()).toContain("window.broken = 1");
        expect(await page.evaluate("typeof window.broken")).toBe("undefined");
        expect(await page.locator("script, iframe, object, embed, form, base, [onerror], [onload]").count()).toBe(0);
        const links = await page
          .locator("a")
          .evaluateAll((list) => list.map((link) => link.getAttribute("href") ?? ""));
        expect(links.filter((link) => !/^https?:/.test(link))).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
        const cut =
          "[...document.querySelectorAll('td, p, li, img, figcaption')].filter((each) => each.getBoundingClientRect().right > innerWidth).length";
        expect(await page.evaluate(cut)).toBe(0);
        const broken = "[...document.images].filter((image) => image.naturalWidth === 0).length";
        expect(await page.locator("img").count()).toBeGreaterThan(0);
        expect(await page.evaluate(broken)).toBe(0);
      });
      expect(happened).toEqual([]);
    }
  });
});
