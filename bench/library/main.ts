import { statSync } from "node:fs";
import { loadavg } from "node:os";
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
        load: loadavg()[0] ?? 0,
        pages,
        sections: pages * 10,
        entries: "sections, motions, backgrounds",
        searches: `${rounds} of each kind, in turn, through the library's thread; the words differ`,
      },
      rows: [
        ...Object.entries(figures).flatMap(([how, { times, processorMs }]) => [
          { figure: `search ${how}, p50 ms, vs ${goalMs}`, ours: median(times), peer: goalMs, goal: { atMost: 1 } },
          { figure: `search ${how}, p95 ms`, ours: quantile(times, 0.95) },
          { figure: `search ${how}, processor time, ms`, ours: processorMs },
        ]),
        { figure: "first search after a start, ms", ours: first },
        { figure: "keeping a page, ms", ours: keeping / pages },
        { figure: "silence of the event loop while keeping, 99.9 %, ms", ours: delay.percentile(99.9) / 1e6 },
        { figure: "bytes of a page on disk", ours: statSync(file).size / pages },
      ],
    });
  });
}

interface Figures {
  readonly times: number[];
  /** Of all threads, for one search: it says more than the times where others keep the machine busy. */
  readonly processorMs: number;
}

async function measure(library: Library, request: (round: number) => Partial<SearchRequest>): Promise<Figures> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) times.push(await timed(() => search(library, request(round))));
  const { user, system } = process.cpuUsage(before);
  return { times, processorMs: (user + system) / 1_000 / rounds };
}

async function measureSearches(library: Library, page: string): Promise<Readonly<Record<string, Figures>>> {
  const entries = await library.entries(page, {});
  const word = (nth: number): string => `word${nth.toString(36)}`;
  const conditions = [{ key: "theme", anyOf: ["dark"] }];
  return {
    "by words": await measure(library, (nth) => ({ query: [nth * 3, nth * 40, nth * 150].map(word).join(" ") })),
    "by looks": await measure(library, () => ({ query: "dark blue section with gradient and buttons" })),
    "by a common word with a filter": await measure(library, (nth) => ({ query: word(nth), conditions })),
    "by likeness": await measure(library, (nth) => ({ like: entries[nth % entries.length]?.id ?? "" })),
  };
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
