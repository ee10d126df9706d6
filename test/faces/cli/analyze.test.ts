import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cleanPage, faultyPage } from "../../kinds/page/pages.ts";
import { startSite } from "../../kinds/page/site.ts";
import { hasBrowser } from "../../kinds/page/world.ts";
import { until } from "../../until.ts";
import { makeCli, type Cli } from "./cli.ts";

function makePageCli(): Cli {
  const cli = makeCli();
  writeFileSync(join(cli.home, "config.json"), JSON.stringify({ net: { allow: ["127.0.0.1"] } }));
  return cli;
}

describe.skipIf(!hasBrowser)("longhaul analyze", () => {
  test("prints grade, scores and findings, compares with an earlier analysis, and opens the report", async () => {
    const cli = makePageCli();
    let page = faultyPage;
    const { url } = await startSite({
      "/": (_request, response) => void response.setHeader("content-type", "text/html").end(page),
      "/there": "x",
    });
    const first = await cli.json<{ id: string; result: { quality: { grade: string } } }>(["analyze", `${url}/`]);
    expect(first.result.quality.grade).toBe("F");
    page = cleanPage;
    const { stdout, stderr, code } = await cli.run(["analyze", "--compare", first.id, "--open", `${url}/`]);
    expect(code).toBe(0);
    expect(stdout).toContain("grade A");
    expect(stdout).toContain("nothing wrong was found");
    expect(stdout).toContain("- mended Images must have alternative text");
    const report = /report: (\S+)/.exec(stderr)?.[1] ?? "";
    onTestFinished(() => rmSync(dirname(report), { recursive: true }));
    expect(readFileSync(report, "utf8")).toContain("Harbour Tools");
  });

  test("tells how the page loads under the conditions that were asked for, and show tells it again", async () => {
    const cli = makePageCli();
    const { url } = await startSite({
      "/": faultyPage.replace("<head>", '<head><script src="/late.js"></script>'),
      "/late.js": "void 0",
    });
    const { stdout, code } = await cli.run([
      "analyze",
      "--feature",
      "performance",
      "--preset",
      "mobile",
      "--name",
      "p",
      `${url}/`,
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/loading as mobile\n +first byte \d+ ms · first paint \d+ ms · largest paint \d+ ms/);
    expect(stdout).toContain("The first paint waits for files");
    const shown = (await cli.run(["show", "p"])).stdout;
    expect(shown).toContain("The first paint waits for files");
    expect(shown).toContain("crop-largest-paint.jpg");
    const refused = await cli.run(["analyze", "--preset", "tablet", `${url}/`]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("preset");
  });

  test("an analysis goes on with its next phase after a kill -9 of the server", async () => {
    const cli = makePageCli();
    const site = await startSite({
      "/": cleanPage.replace("<footer>", '<footer><a href="/slow">Slow</a>'),
      // Keeps the phase "quality" busy until the server is dead.
      "/slow": (request, response) => void setTimeout(() => response.end("x"), request.method === "HEAD" ? 4_000 : 0),
    });
    const id = (await cli.run(["analyze", "-d", `${site.url}/`])).stdout.trim();
    const kept = (): string[] => {
      const folder = join(cli.home, "output", id, "1", "pieces");
      return existsSync(folder) ? readdirSync(folder) : [];
    };
    await until(() => kept().includes("motion"), { timeoutMs: 40_000 });
    process.kill(cli.serverPid() ?? 0, "SIGKILL");
    const loads = site.requests.filter((path) => path === "/").length;
    const job = await cli.json<{ jobs: { state: string; attempt: number; partial?: boolean }[] }>(["wait", id]);
    expect(JSON.stringify(job)).toContain("succeeded");
    const { result } = await cli.json<{ result: { phases: { name: string; state: string }[] } }>(["show", id]);
    expect(result.phases.map(({ state }) => state)).toEqual(Array.from({ length: 7 }, () => "done"));
    // Opened once more for the phases that look at it again, not for those that were done.
    expect(site.requests.filter((path) => path === "/").length).toBe(loads + 1);
    expect(readdirSync(join(cli.home, "browser")).length).toBeLessThanOrEqual(1);
  });
});
