import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for one test; it goes when the test has ended. */
export function makeTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
