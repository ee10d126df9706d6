import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { until } from "../../until.ts";
import type { TestSite } from "./site.ts";
import { later, openSite, pathsOf } from "./world.ts";

const program = join(import.meta.dirname, "../../../.build/test/fixtures/crawl-worker.js");
const concurrency = 8;
const depth = 6;

interface Worker {
  readonly kill: () => Promise<void>;
  /** The job's result, as it prints it. */
  readonly result: Promise<Record<string, unknown>>;
}

function startWorker(home: string, site: TestSite): Worker {
  const limits = { max_pages: 10_000, page_timeout_ms: 5_000, max_page_mb: 0.5 };
  const request = JSON.stringify({ urls: [site.url], depth, concurrency, ...limits });
  const child = spawn(process.execPath, [program, home, request], { stdio: ["ignore", "pipe", "inherit"] });
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

it("a crawl goes on after kill -9 where it was: the same pages, and none fetched twice but those in flight and their canonical ones", async () => {
  const home = await mkdtemp(join(tmpdir(), "longhaul-crawl-crash-"));
  later(() => rm(home, { recursive: true, force: true }));
  const site = await openSite({ pages: 1_200, times: 5, delayMs: 1 });
  let kills = 0;
  for (const done of [100, 500, 1_000]) {
    const worker = startWorker(home, site);
    await until(() => site.requests.size > done, { timeoutMs: 60_000 });
    await worker.kill();
    kills += 1;
  }
  // What a crash in the middle of a write leaves behind.
  await appendFile(await pagesFile(home), '{"type":"page","from":"http://torn');
  const result = await startWorker(home, site).result;
  const { failures, ...digest } = result as { failures: { url: string; code: string }[] };
  expect(failures.filter(({ url }) => !/\/(item|missing|error|slow)/.test(url))).toEqual([]);
  expect(digest).toMatchObject(site.expectedResult(depth));
  // A page in flight may have looked at the one that its canonical link leads to.
  expect(site.repeats()).toBeLessThanOrEqual(2 * kills * concurrency);
  const lines = (await readFile(await pagesFile(home), "utf8")).trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { type: string; url: string });
  expect(pathsOf(records.filter(({ type }) => type === "page"))).toEqual(site.expected(depth));
}, 180_000);
