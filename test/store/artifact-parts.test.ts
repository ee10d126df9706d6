import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { artifactBounds } from "../../src/job/artifact.ts";
import { saveArtifactPart } from "../../src/store/files/artifact-files.ts";
import { refusal } from "../engine/world.ts";

it("a larger artifact than a folder may have is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-artifacts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const large = { from: artifactBounds.fileBytes, content: Buffer.from("x"), isLast: true };
  await expect(saveArtifactPart(folder, "a.bin", large)).rejects.toMatchObject(refusal("too_large", /at most 100 MB/));
});
