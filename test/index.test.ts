import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as library from "../src/index.ts";

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

describe("the library", () => {
  it("exports these names and no others: each is a promise", () => {
    expect(Object.keys(library).toSorted()).toEqual([
      "JobFailure",
      "LonghaulError",
      "PartialResult",
      "defineContract",
      "defineKind",
      "isJobId",
      "isTerminal",
      "jobStatuses",
      "openEngine",
      "openSharedEngine",
    ]);
  });
});

describe("the README's first example", () => {
  it("runs as it stands, with the built package under its own name, and says hello", async () => {
    const folder = join(root, ".build", `readme-${process.pid}`);
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(join(folder, "example.mjs"), await firstExample());
      // Rejects unless the example ends by itself with exit code 0.
      const { stdout } = await run(process.execPath, ["example.mjs"], { cwd: folder, timeout: 30_000 });
      expect(stdout).toContain("Hello");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

async function firstExample(): Promise<string> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
  const example = blocks.find((code) => code.includes("openEngine"));
  if (example === undefined) throw new Error("README.md has no ts block with openEngine");
  return example;
}
