import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEngine } from "../../src/index.ts";
import type { StopReport } from "../fixtures/stop-worker.ts";
import { until } from "../until.ts";

const workerFile = fileURLToPath(new URL("../../.build/test/fixtures/stop-worker.js", import.meta.url));

/** One worker meets every situation; each test looks at one side of what it found. */
describe("stopping an engine with jobs in every state", () => {
  const base = mkdtempSync(join(tmpdir(), "longhaul-stop-"));
  let exit = "";
  let stderr = "";
  let report: StopReport;

  beforeAll(async () => {
    const child = spawn(process.execPath, ["--enable-source-maps", "--expose-gc", workerFile, base], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("close", (code, signal) => (exit = signal ?? String(code)));
    try {
      await until(() => stdout !== "" || exit !== "", { timeoutMs: 40_000 });
      await until(() => exit !== "", { timeoutMs: 5_000 });
    } finally {
      child.kill("SIGKILL");
    }
    if (stdout === "") throw new Error(`the worker ended with ${exit}: ${stderr}`);
    report = JSON.parse(stdout) as StopReport;
  });

  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test("the process ends by itself, without an error", () => {
    expect(exit).toBe("0");
    expect(stderr).toBe("");
  });

  test("no timer, handle or child process is left", () => {
    expect(report.left.map(({ resources }) => resources)).toEqual([[], []]);
    expect(report.left.map(({ children }) => children)).toEqual(["", ""]);
  });

  test("no file of an open database is left, also not by an engine that found an older one", () => {
    expect(report.left.map(({ files }) => files.toSorted())).toEqual([
      ["longhaul.db", "machine", "output"],
      ["longhaul.db", "machine", "output"],
    ]);
  });

  test("no file in the folder stays open", () => {
    expect(report.left.map(({ descriptors }) => descriptors)).toEqual([[], []]);
  });

  test("jobs in each state were under way", () => {
    expect(report.atStop).toMatchObject({
      restarting: "running",
      resuming: "running",
      adopting: "running",
      failing: "running",
      stubborn: "running",
      asking: "waiting",
      flaky: "queued",
      "next-in-line": "queued",
      delayed: "queued",
      dependent: "queued",
    });
  });

  test("the next engine opens at once and has every job: requeued, adopted, or failed where the kind cannot go on", () => {
    const { failing, adopting, ...others } = report.atReopen;
    expect({ failing, adopting }).toEqual({ failing: "failed", adopting: "running" });
    expect(Object.entries(others).filter(([, status]) => !["queued", "running", "waiting"].includes(status))).toEqual(
      [],
    );
  });

  test("interrupted jobs go on to success", () => {
    const { failing, ...others } = report.atEnd;
    expect(failing).toBe("failed");
    expect(Object.entries(others).filter(([, status]) => status !== "succeeded")).toEqual([]);
  });

  test("a resumed job finds its checkpoint", () => {
    expect(report.resumedAt).toEqual({ resumedAt: 1 });
  });

  test("readers that wait are let go without an error", () => {
    expect(Object.entries(report.readers).filter(([, end]) => end !== "ended")).toEqual([]);
  });

  test("a submit before the stop is stored, one after it is refused as stopped", () => {
    expect(report.found).toEqual(report.accepted);
    expect(report.refusals).toEqual(["stopped", "stopped", "stopped", "stopped"]);
  });
});

test("stopping an engine that has nothing to do leaves nothing, however often it is opened and stopped", async () => {
  const home = mkdtempSync(join(tmpdir(), "longhaul-stop-"));
  for (let round = 0; round < 3; round++) {
    const engine = await openEngine({ home, kinds: [] });
    await engine.stop();
    await engine.stop();
    expect(readdirSync(home)).toEqual(["longhaul.db", "machine"]);
  }
  rmSync(home, { recursive: true });
});
