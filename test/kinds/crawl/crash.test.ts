import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { until } from "../../until.ts";
import type { TestSite } from "./site.ts";
import { later, openSite } from "./world.ts";

const program = join(import.meta.dirname, "../../../.build/test/fixtures/crawl-worker.js");
const concurrency = 4;
const pageCount = 400;

interface Worker {
  readonly kill: () => Promise<void>;
  /** The job's result, as it prints it. */
  readonly result: Promise<Record<string, unknown>>;
}

function startWorker(home: string, site: TestSite): Worker {
  const child = spawn(process.execPath, [program, home, `${site.url}/page/0`, String(concurrency)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  later(kill);
  return { kill, result: exited.then(() => JSON.parse(lines[1] ?? "null") as Record<string, unknown>) };
}

/** The file that the job appends its pages to. */
async function pagesFile(home: string): Promise<string> {
  const [job = ""] = await readdir(join(home, "output"));
  return join(home, "output", job, "1", "pages.0");
}

it("goes on after kill -9 where it was: the same pages, and none fetched twice but those in flight", async () => {
  const home = await mkdtemp(join(tmpdir(), "longhaul-crawl-crash-"));
  later(() => rm(home, { recursive: true, force: true }));
  const site = await openSite({ pages: pageCount, delayMs: 2 });
  let kills = 0;
  for (const done of [30, 120, 260]) {
    const worker = startWorker(home, site);
    await until(() => site.requests.size > done, { timeoutMs: 30_000 });
    await worker.kill();
    kills += 1;
  }
  // What a crash in the middle of a write leaves behind.
  await appendFile(await pagesFile(home), '{"type":"page","from":"http://torn');
  const result = await startWorker(home, site).result;
  const orphans = 7;
  expect(result).toMatchObject({ status: "completed", pages: pageCount + orphans, failed: 0 });
  expect(site.repeats()).toBeLessThanOrEqual(kills * concurrency);
  const lines = (await readFile(await pagesFile(home), "utf8")).trimEnd().split("\n");
  const pages = lines
    .map((line) => JSON.parse(line) as { type: string; url?: string })
    .filter(({ type }) => type === "page");
  expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length);
  expect(pages).toHaveLength(pageCount + orphans);
});
