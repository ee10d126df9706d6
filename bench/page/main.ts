import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createPageKind } from "../../src/kinds/page/page.ts";
import { readAxe } from "../../src/kinds/page/quality/axe.ts";
import { createAddressRules } from "../../src/net/address/address-rules.ts";
import { startBrowserProxy } from "../../src/net/proxy/browser-proxy.ts";
import { SharedBrowser } from "../../src/net/browser/shared-browser.ts";
import { createGuardedFetch } from "../../src/net/fetch/guarded-fetch.ts";
import { createRobots } from "../../src/net/robots/robots.ts";
import { openEngine } from "../../src/server/open-engine.ts";
import { describeMachine } from "../machine.ts";
import { publishReport, type Row } from "../report.ts";
import { median } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { heavySite } from "./heavy-site.ts";
import { openLighthouse } from "./lighthouse.ts";
import { samplePage } from "./sample-page.ts";

const rounds = 5;
const atOnce = 4;
/** Lighthouse takes ten seconds and more each time. */
const lighthouseRounds = 3;

async function main(): Promise<number> {
  const machine = await describeMachine();
  return withTemporaryFolder(async (home) => {
    const world = await openWorld(home);
    try {
      await world.analyze({});
      await world.bare();
      const ours: number[] = [];
      const peer: number[] = [];
      const parallel: number[] = [];
      const inTurn: number[] = [];
      for (let round = 0; round < rounds; round++) {
        ours.push(await timed(() => world.analyze({})));
        peer.push(await timed(world.bare));
        parallel.push(await timed(() => Promise.all(Array.from({ length: atOnce }, () => world.analyze({})))));
        inTurn.push(
          await timed(async () => {
            for (let nth = 0; nth < atOnce; nth++) await world.analyze({});
          }),
        );
      }
      const against = await compareWithLighthouse(world);
      return await publishReport({
        name: "page",
        conditions: {
          ...machine,
          page: "about 300 elements, served from this machine",
          bare: `${rounds} rounds in turn, medians: a new context in the same warm browser, load, full-page screenshot, axe`,
          parallel: `${atOnce} analyses at once against ${atOnce} one after the other`,
          ...against.conditions,
        },
        rows: [
          {
            figure: "full analysis, ms, vs context + load + screenshot + axe",
            ours: median(ours),
            peer: median(peer),
            goal: { atMost: 3 },
          },
          {
            figure: "4 analyses at once, ms, vs 4 in turn",
            ours: median(parallel),
            peer: median(inTurn),
            goal: { atMost: 0.7 },
          },
          ...against.rows,
        ],
      });
    } finally {
      await world.close();
    }
  });
}

/** The same pages of this machine by turns; both with their code loaded and the browser running. */
async function compareWithLighthouse(
  world: World,
): Promise<{ readonly rows: Row[]; readonly conditions: Record<string, string> }> {
  const lighthouse = await openLighthouse(world.executable);
  if (lighthouse === undefined) {
    console.log("Lighthouse is not installed, so it is left out: npm ci --prefix bench/page/peer");
    return { rows: [], conditions: {} };
  }
  try {
    const rows: Row[] = [];
    for (const path of ["/", "/heavy"]) {
      const times = { none: [] as number[], mobile: [] as number[], lighthouse: [] as number[] };
      for (let round = 0; round < lighthouseRounds; round++) {
        times.none.push(await timed(() => world.analyze({ path })));
        times.lighthouse.push(await timed(() => lighthouse.run(`${world.url}${path}`)));
        times.mobile.push(await timed(() => world.analyze({ path, preset: "mobile" })));
      }
      const page = path === "/" ? "sample page" : "heavy page";
      const [peer, goal] = [median(times.lighthouse), { atMost: 0.5 }];
      rows.push({ figure: `full analysis of the ${page}, ms, vs Lighthouse`, ours: median(times.none), peer, goal });
      // Held to no goal: the page really comes at 1.6 Mbps, which Lighthouse works out from a load at full speed.
      rows.push({ figure: `${page} with the preset mobile, ms, vs Lighthouse`, ours: median(times.mobile), peer });
    }
    return {
      rows,
      conditions: {
        lighthouse: `Lighthouse ${lighthouse.version} with its own settings (mobile, throttling worked out and not carried out), the same Chromium, code loaded and browser warm; ${lighthouseRounds} rounds by turns, medians`,
        heavy: "the sample page with 0.3 MB of styles, 0.5 MB of scripts and 12 pictures of 60 KB",
      },
    };
  } finally {
    lighthouse.close();
  }
}

interface World {
  readonly url: string;
  readonly executable: string;
  readonly analyze: (what: { readonly path?: string; readonly preset?: string }) => Promise<void>;
  readonly bare: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function openWorld(home: string): Promise<World> {
  const site = createServer((request, response) => {
    const { type, body } = heavySite[request.url ?? ""] ?? { type: "text/html", body: samplePage };
    response.setHeader("content-type", type);
    response.end(body);
  });
  await new Promise<void>((resolve) => {
    site.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const rules = createAddressRules(["127.0.0.1"]);
  const guarded = createGuardedFetch({ rules, userAgent: "Longhaul/bench" });
  const proxy = await startBrowserProxy({ rules, connectTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxConnections: 500 });
  const searchPath = process.env["PATH"] ?? "";
  const browser = new SharedBrowser({
    folder: join(home, "browser"),
    searchPath,
    sandbox: false,
    maxPages: atOnce,
    proxy: async () => proxy,
  });
  const robots = createRobots(guarded, { productToken: "Longhaul" });
  const kind = createPageKind({ browser, rules, robots, fetch: guarded.fetch, concurrency: atOnce });
  const engine = await openEngine({ home, kinds: [kind] });
  const axe = await readAxe();
  return {
    url,
    executable: browser.executable ?? "",
    analyze: async ({ path = "/", preset = "none" }) => {
      const job = await engine.submit({ kind: "page", input: { url: `${url}${path}`, preset } });
      await engine.wait(job.id, { timeoutMs: 120_000 });
      const { state } = await engine.get(job.id);
      if (state.status !== "succeeded" || state.partial) throw new Error(JSON.stringify(state));
    },
    bare: () =>
      browser.use({ viewport: { width: 1_440, height: 900 } }, new AbortController().signal, async ({ openPage }) => {
        const page = await openPage();
        await page.goto(`${url}/`, { waitUntil: "load" });
        await page.screenshot({ fullPage: true, type: "jpeg", quality: 70 });
        await page.evaluate(`(async () => { ${axe}\n; return (await axe.run(document)).violations.length; })()`);
      }),
    close: async () => {
      await engine.stop();
      await browser.close();
      await proxy.close();
      await guarded.close();
      site.closeAllConnections();
      site.close();
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
