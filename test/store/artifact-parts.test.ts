import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { artifactBounds } from "../../src/job/artifact.ts";
import { listArtifacts, readArtifact, saveArtifact, saveArtifactPart } from "../../src/store/files/artifact-files.ts";
import { refusal } from "../engine/world.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-artifacts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const part = (from: number, text: string, isLast: boolean): { from: number; content: Buffer; isLast: boolean } => ({
  from,
  content: Buffer.from(text),
  isLast,
});

it("a file that comes in parts is there when the last one is, and a part that is sent again counts once", async () => {
  const folder = makeFolder();
  await saveArtifact(folder, "log.txt", "before");
  expect(await saveArtifactPart(folder, "log.txt", part(0, "first, ", false))).toBeUndefined();
  expect(await saveArtifactPart(folder, "log.txt", part(7, "second, ", false))).toBeUndefined();
  await saveArtifactPart(folder, "log.txt", part(7, "second, ", false));
  expect(await listArtifacts(folder)).toMatchObject([{ name: "log.txt", bytes: 6 }]);
  const saved = await saveArtifactPart(folder, "log.txt", part(15, "third", true));
  expect(saved).toEqual({ name: "log.txt", mediaType: "text/plain", bytes: 20 });
  const { content } = await readArtifact(folder, "log.txt", 0, 100);
  expect(Buffer.from(content).toString()).toBe("first, second, third");
});

it("a part whose beginning is missing is refused, and leaves nothing", async () => {
  const folder = makeFolder();
  const late = saveArtifactPart(folder, "a.bin", part(5, "x", true));
  await expect(late).rejects.toMatchObject(refusal("conflict", /from 0 again/));
  await saveArtifactPart(folder, "a.bin", part(0, "abc", false));
  await expect(saveArtifactPart(folder, "a.bin", part(5, "x", true))).rejects.toMatchObject(refusal("conflict"));
  expect(await listArtifacts(folder)).toEqual([]);
});

it("a type that is given is kept until the file is saved without one", async () => {
  const folder = makeFolder();
  await saveArtifactPart(folder, "trace", { ...part(0, "{}", true), mediaType: "application/json" });
  expect(await listArtifacts(folder)).toEqual([{ name: "trace", mediaType: "application/json", bytes: 2 }]);
  expect(await readArtifact(folder, "trace", 0, 10)).toMatchObject({ mediaType: "application/json" });
  await saveArtifactPart(folder, "trace", part(0, "{}", true));
  expect(await listArtifacts(folder)).toMatchObject([{ mediaType: "application/octet-stream" }]);
});

it("more files, and larger ones, than a job may have are refused", async () => {
  const folder = makeFolder();
  const { fileBytes, files } = artifactBounds;
  const large = saveArtifactPart(folder, "a.bin", part(fileBytes, "x", true));
  await expect(large).rejects.toMatchObject(refusal("too_large", /at most 100 MB/));
  for (let count = 0; count < files; count++) await saveArtifactPart(folder, `f${count}`, part(0, "", count % 2 === 0));
  await expect(saveArtifactPart(folder, "more", part(0, "", true))).rejects.toMatchObject(refusal("too_large"));
  await saveArtifactPart(folder, "f0", part(0, "again", true));
});

it.each([".hidden", "../up", "a/b", "", "-dash", "x".repeat(121), "nul\0"])(
  "a name that is none of a plain file is refused: %j",
  async (name) => {
    await expect(saveArtifactPart(makeFolder(), name, part(0, "", true))).rejects.toMatchObject(
      refusal("invalid_input", /^An artifact's name must/),
    );
  },
);
