import { statSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Library, SearchRequest } from "../../src/library/library.ts";
import { openLibrary } from "../../src/store/sqlite/library/open-library.ts";
import { describeMachine } from "../machine.ts";
import { publishReport } from "../report.ts";
import { median, quantile } from "../statistics.ts";
import { withTemporaryFolder } from "../temporary-folder.ts";
import { makePage } from "./pages.ts";
import { seededRandom } from "../../test/seeded-random.ts";

const pages = 1_000;
const rounds = 50;
const goalMs = 20;

async function main(): Promise<number> {
  const machine = await describeMachine();
  return withTemporaryFolder(async (folder) => {
    const file = join(folder, "library.db");
    const open = (): Library =>
      openLibrary({
        file,
        limits: { maxAgeMs: Number.MAX_SAFE_INTEGER, maxPages: pages * 2, maxBytes: 1e12 },
        now: () => Date.now(),
        onMoved: () => undefined,
      });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    let library = open();
    const random = seededRandom(1);
    const made = Array.from({ length: pages }, (_, nth) => makePage(nth, random));
    delay.enable();
    const keeping = await timed(async () => {
      for (const page of made) await library.keep(page, Date.now());
    });
    delay.disable();
    await library.close();
    library = open();
    const first = await timed(() => search(library, { query: "word1" }));
    const figures = await measureSearches(library, made[7]?.id ?? "");
    await library.close();
    return publishReport({
      name: "library",
      conditions: {
        ...machine,
        pages,
        sections: pages * 10,
        entries: "sections, motions, backgrounds",
        searches: `${rounds} of each kind, in turn, through the library's thread; the words differ`,
      },
      rows: [
        {
          figure: `search by words, p50 ms, vs ${goalMs}`,
          ours: median(figures.words),
          peer: goalMs,
          goal: { atMost: 1 },
        },
        {
          figure: `search by looks, p50 ms, vs ${goalMs}`,
          ours: median(figures.looks),
          peer: goalMs,
          goal: { atMost: 1 },
        },
        {
          figure: `search by a common word with a filter, p50 ms, vs ${goalMs}`,
          ours: median(figures.filtered),
          peer: goalMs,
          goal: { atMost: 1 },
        },
        {
          figure: `search by likeness, p50 ms, vs ${goalMs}`,
          ours: median(figures.like),
          peer: goalMs,
          goal: { atMost: 1 },
        },
        { figure: "search of any kind, p95 ms", ours: quantile(Object.values(figures).flat(), 0.95) },
        { figure: "first search after a start, ms", ours: first },
        { figure: "keeping a page, ms", ours: keeping / pages },
        { figure: "silence of the event loop while keeping, 99.9 %, ms", ours: delay.percentile(99.9) / 1e6 },
        { figure: "bytes of a page on disk", ours: statSync(file).size / pages },
      ],
    });
  });
}

interface Figures {
  readonly words: number[];
  readonly looks: number[];
  readonly filtered: number[];
  readonly like: number[];
}

async function measureSearches(library: Library, page: string): Promise<Figures> {
  const entries = await library.entries(page, {});
  const figures: Figures = { words: [], looks: [], filtered: [], like: [] };
  for (let round = 0; round < rounds; round++) {
    const words = [round * 3, round * 40, round * 150].map((nth) => `word${nth.toString(36)}`).join(" ");
    figures.words.push(await timed(() => search(library, { query: words })));
    figures.looks.push(await timed(() => search(library, { query: "dark blue section with gradient and buttons" })));
    const conditions = [{ key: "theme", anyOf: ["dark"] }];
    figures.filtered.push(await timed(() => search(library, { query: `word${round.toString(36)}`, conditions })));
    figures.like.push(await timed(() => search(library, { like: entries[round % entries.length]?.id ?? "" })));
  }
  return figures;
}

function search(library: Library, request: Partial<SearchRequest>): Promise<unknown> {
  return library.search({ kind: "section", limit: 10, offset: 0, ...request }, {});
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

process.exitCode = await main();
