import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInChild } from "../child.ts";
import { describeMachine } from "../machine.ts";
import { publishReport, type Row } from "../report.ts";
import { medians } from "../statistics.ts";
import type { CrawlMeasure } from "./measure.ts";

const concurrency = 10;
const defaultPages = 2_000;
const fewPages = 500;
const manyPages = 20_000;
const rounds = 3;
const maxLagMs = 50;
/** crawlee takes minutes for what we do in seconds. */
const longestMs = 1_200_000;

const programs = {
  bare: new URL("./bare.js", import.meta.url),
  longhaul: new URL("./longhaul.js", import.meta.url),
  crawlee: new URL("./crawlee.js", import.meta.url),
};

async function main(): Promise<number> {
  const machine = await describeMachine();
  const hasCrawlee = existsSync("bench/crawl/peer/node_modules/@crawlee/cheerio");
  if (!hasCrawlee) console.log("crawlee is not installed, so it is left out: npm ci --prefix bench/crawl/peer");
  const bare: CrawlMeasure[] = [];
  const ours: CrawlMeasure[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await measure("bare", defaultPages));
    ours.push(await measure("longhaul", defaultPages));
  }
  const crawlee = hasCrawlee ? await measure("crawlee", defaultPages) : undefined;
  const few = await measure("longhaul", fewPages);
  const many = await measure("longhaul", manyPages);
  const [usual, limit] = [medians(ours), medians(bare)];
  const rows: Row[] = [
    {
      figure: "pages/s, against a bare loop",
      ours: usual.pagesPerSecond,
      peer: limit.pagesPerSecond,
      goal: { atLeast: 0.6 },
    },
    ...(crawlee === undefined ? [] : againstCrawlee(usual, crawlee)),
    {
      figure: `CPU ms per page, ${manyPages} pages against ${fewPages}`,
      ours: many.cpuMsPerPage,
      peer: few.cpuMsPerPage,
      goal: { atMost: 1.3 },
    },
    { figure: "event loop lag p99, ms, against 50", ours: usual.lagMs, peer: maxLagMs, goal: { atMost: 1 } },
    { figure: "CPU ms per page, against a bare loop", ours: usual.cpuMsPerPage, peer: limit.cpuMsPerPage },
    { figure: "peak RSS MB, against a bare loop", ours: usual.peakRssMb, peer: limit.peakRssMb },
    { figure: `peak RSS MB, ${manyPages} pages against ${fewPages}`, ours: many.peakRssMb, peer: few.peakRssMb },
  ];
  const conditions = {
    ...machine,
    site: `${defaultPages} pages of 65 links and 250 words each, served by a process of its own; ${concurrency} requests at a time`,
    rounds: `${rounds} in turn, medians; each in a fresh process, from the start of the crawl to its end`,
    bare: "undici and htmlparser2 that follow links and keep nothing",
    ours: "a crawl job: guarded, robots.txt, Markdown and duplicates of every page, all on the disk",
  };
  return publishReport({ name: "crawl", conditions, rows });
}

function againstCrawlee(ours: CrawlMeasure, crawlee: CrawlMeasure): Row[] {
  return [
    {
      figure: "pages/s, against crawlee",
      ours: ours.pagesPerSecond,
      peer: crawlee.pagesPerSecond,
      goal: { atLeast: 15 },
    },
    { figure: "peak RSS MB, against crawlee", ours: ours.peakRssMb, peer: crawlee.peakRssMb, goal: { atMost: 0.6 } },
  ];
}

/** Each crawl has a fresh site and a fresh process. */
async function measure(crawler: keyof typeof programs, pages: number): Promise<CrawlMeasure> {
  const program = fileURLToPath(new URL("./site.js", import.meta.url));
  const site = spawn(process.execPath, [program, String(pages)], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [address] = (await once(site.stdout, "data")) as [Buffer];
    const request = { url: address.toString().trim(), pages, concurrency };
    const measured = await runInChild<CrawlMeasure>(programs[crawler], request, longestMs);
    if (crawler !== "crawlee" && measured.pages !== pages)
      throw new Error(`${crawler} found ${measured.pages} pages of ${pages}.`);
    return measured;
  } finally {
    site.kill();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
