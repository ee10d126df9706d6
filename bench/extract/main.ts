import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { installPackage } from "../../test/install-package.ts";
import { describeMachine } from "../machine.ts";
import { publishReport, type Row } from "../report.ts";
import { median } from "../statistics.ts";
import { loadPeers, longhaul, type Extractor } from "./extractors.ts";
import { compareTexts, summarise } from "./score.ts";

interface Page {
  readonly url: string;
  readonly html: string;
  readonly truth: string;
}

const rounds = 3;

async function main(folder: string | undefined): Promise<number> {
  if (folder === undefined) {
    console.error(
      "Name the folder with the pages: npm run bench:extract -- FOLDER. It holds truth.json (id → url, articleBody) and ID.html.gz, as made from the article-extraction-benchmark.",
    );
    return 2;
  }
  const pages = await readPages(folder);
  await installPackage(resolve("bench/extract/peer"));
  const peers = await loadPeers();
  const times = new Map<Extractor, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const extractor of [longhaul, ...peers]) {
      times.set(extractor, [...(times.get(extractor) ?? []), await measureTime(extractor, pages)]);
    }
  }
  const ours = await judge(longhaul, pages);
  const others = await Promise.all(peers.map((peer) => judge(peer, pages)));
  const msOf = (extractor: Extractor): number => median(times.get(extractor) ?? []);
  const rows: Row[] = [
    { figure: "F1, against 1", ours: ours.f1, peer: 1, goal: { atLeast: 0.96 } },
    { figure: "precision, against 1", ours: ours.precision, peer: 1, goal: { atLeast: 0.95 } },
    { figure: "recall, against 1", ours: ours.recall, peer: 1, goal: { atLeast: 0.97 } },
    ...peers.map((peer, index) => ({
      figure: `F1, against ${peer.name}`,
      ours: ours.f1,
      peer: others[index]?.f1 ?? 0,
      goal: { atLeast: 1 },
    })),
    {
      figure: "ms per page, against the faster peer",
      ours: msOf(longhaul),
      peer: Math.min(...peers.map(msOf)),
      goal: { atMost: 0.5 },
    },
  ];
  const conditions = {
    ...(await describeMachine()),
    pages: pages.length,
    rounds: `${rounds} in turn, medians of the mean time of a page; all in one process`,
    ours: "from HTML to Markdown, with links, metadata and structured data of the page",
    peers: "Readability 0.6.0 and defuddle 0.19.4 on documents of linkedom 0.18.14",
    measure: "runs of four words against the text that a person marked; of Markdown without its signs and addresses",
  };
  return publishReport({ name: "extract", conditions, rows });
}

async function readPages(folder: string): Promise<Page[]> {
  const truth = JSON.parse(await readFile(join(folder, "truth.json"), "utf8")) as Record<
    string,
    { url: string; articleBody: string }
  >;
  return Promise.all(
    Object.entries(truth).map(async ([id, { url, articleBody }]) => ({
      url,
      truth: articleBody,
      html: (await promisify(gunzip)(await readFile(join(folder, `${id}.html.gz`)))).toString(),
    })),
  );
}

async function measureTime({ extract }: Extractor, pages: readonly Page[]): Promise<number> {
  const startedAt = performance.now();
  for (const { html, url } of pages) await extract(html, url);
  return (performance.now() - startedAt) / pages.length;
}

async function judge({ extract, toText }: Extractor, pages: readonly Page[]): Promise<ReturnType<typeof summarise>> {
  const agreements = [];
  for (const { html, url, truth } of pages) agreements.push(compareTexts(truth, toText(await extract(html, url))));
  return summarise(agreements);
}

try {
  process.exitCode = await main(process.argv[2]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
