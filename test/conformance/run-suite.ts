import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { installPackage } from "../install-package.ts";

/** One run of the official suite: a frozen set of requirements, a revision, or single scenarios. */
export interface SuiteRun {
  readonly name: string;
  readonly args: readonly string[];
}

export interface ScenarioResult {
  readonly run: string;
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly problems: readonly string[];
}

const taskScenarios = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-status-notifications",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
];

export const suiteRuns: readonly SuiteRun[] = [
  { name: "2026-07-28", args: ["--requirements", "2026-07-28"] },
  { name: "2025-11-25", args: ["--requirements", "2025-11-25"] },
  { name: "2025-06-18", args: ["--suite", "all", "--spec-version", "2025-06-18"] },
  ...taskScenarios.map((scenario) => ({ name: "tasks", args: ["--scenario", scenario] })),
];

const suiteFolder = findSuiteFolder();

/** From the sources as well as from the built files. */
function findSuiteFolder(): string {
  const here = join(import.meta.dirname, "suite");
  return existsSync(here) ? here : resolve(import.meta.dirname, "../../../test/conformance/suite");
}

export function installSuite(): Promise<void> {
  return installPackage(suiteFolder);
}

/** Runs a part of the suite against a server and gathers what each scenario checked. */
export async function runSuite(run: SuiteRun, url: string): Promise<ScenarioResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "longhaul-conformance-"));
  try {
    const bin = join(suiteFolder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const args = [bin, "server", "--url", url, ...run.args, "--output-dir", folder];
    const output = await execute(findNode(), args);
    const results = await readResults(run.name, folder);
    if (results.length === 0) throw new Error(`The suite left no results:\n${output.slice(-4_000)}`);
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The suite wants a newer Node than the project. */
function findNode(): string {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath;
  const bundled = join(suiteFolder, "node_modules", `node-${process.platform}-${process.arch}`, "bin/node");
  if (existsSync(bundled)) return bundled;
  throw new Error("The conformance suite needs Node 22 or later: run it with one.");
}

function execute(command: string, args: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", fail);
    child.once("close", () => done(Buffer.concat(chunks).toString()));
  });
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

async function readResults(run: string, folder: string): Promise<ScenarioResult[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith("checks.json"));
  const results = files.toSorted().map(async (file) => {
    const checks = JSON.parse(await readFile(join(folder, file), "utf8")) as Check[];
    const count = (status: Check["status"]): number => checks.filter((check) => check.status === status).length;
    const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
    return {
      run,
      scenario: file.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, ""),
      passed: count("SUCCESS"),
      failed: count("FAILURE"),
      skipped: count("SKIPPED"),
      problems: bad.map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? ""}`),
    };
  });
  return Promise.all(results);
}
