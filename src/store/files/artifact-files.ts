import { existsSync } from "node:fs";
import { open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { artifactBounds, mediaTypeOf, type Artifact, type ArtifactPart } from "../../job/artifact.ts";
import { LonghaulError } from "../../job/error.ts";
import { makeFolder } from "./make-folder.ts";
import type { ArtifactSlice } from "../output-store.ts";

/** Whole or not there at all, also after a power cut: it gets its name when all of it is on the disk. */
export async function saveArtifact(folder: string, name: string, content: string | Uint8Array): Promise<Artifact> {
  const mediaType = mediaTypeOf(name);
  makeFolder(folder);
  const unfinished = unfinishedFile(folder, name);
  const file = await open(unfinished, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(typeFile(folder, name), { force: true });
  await rename(unfinished, join(folder, name));
  return { name, mediaType, bytes: Buffer.byteLength(content) };
}

/** As `saveArtifact`, part by part: it gets its name with the last one. A part that is sent again takes the place of the first. */
export async function saveArtifactPart(
  folder: string,
  name: string,
  { from, content, isLast, mediaType }: ArtifactPart,
): Promise<Artifact | undefined> {
  const bytes = from + content.length;
  const knownType = mediaTypeOf(name);
  makeFolder(folder);
  await demandRoom(folder, name, bytes);
  const unfinished = unfinishedFile(folder, name);
  const file = await open(unfinished, from === 0 ? "w" : "r+", 0o600).catch(beginAnew(name));
  try {
    if ((await file.stat()).size < from) beginAnew(name)();
    await file.write(content, 0, content.length, from);
    await file.truncate(bytes);
    if (isLast) await file.sync();
  } finally {
    await file.close();
  }
  if (!isLast) return undefined;
  if (mediaType === undefined) await rm(typeFile(folder, name), { force: true });
  else await writeFile(typeFile(folder, name), mediaType, { mode: 0o600 });
  await rename(unfinished, join(folder, name));
  return { name, mediaType: mediaType ?? knownType, bytes };
}

function beginAnew(name: string): () => never {
  return () => {
    throw new LonghaulError("conflict", `The parts before this one of "${name}" are not there: send it from 0 again.`);
  };
}

async function demandRoom(folder: string, name: string, bytes: number): Promise<void> {
  const { fileBytes, allBytes, files } = artifactBounds;
  if (bytes > fileBytes) {
    throw new LonghaulError(
      "too_large",
      `An artifact may have at most ${fileBytes / 1_000_000} MB; "${name}" has more.`,
    );
  }
  // Those that are not whole count too, and of one that takes the place of another both.
  const others = (await readdir(folder)).filter((file) => file !== `.${name}` && !file.startsWith(".."));
  const sizes = await Promise.all(others.map(async (file) => (await stat(join(folder, file))).size));
  if (sizes.length >= files && !others.includes(name)) {
    throw new LonghaulError("too_large", `A job may have at most ${files} artifacts, and this one has that many.`);
  }
  if (sizes.reduce((sum, size) => sum + size, bytes) <= allBytes) return;
  throw new LonghaulError(
    "too_large",
    `The artifacts of a job may have at most ${allBytes / 1_000_000} MB together; with "${name}" they would have more.`,
  );
}

/** No artifact's name begins with a dot. */
function unfinishedFile(folder: string, name: string): string {
  return join(folder, `.${name}`);
}

/** Says what the artifact is, where its name does not. */
function typeFile(folder: string, name: string): string {
  return join(folder, `..${name}`);
}

async function readType(folder: string, name: string): Promise<string> {
  const knownType = mediaTypeOf(name);
  return readFile(typeFile(folder, name), "utf8").catch(() => knownType);
}

export async function listArtifacts(folder: string): Promise<Artifact[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".")).toSorted();
  return Promise.all(
    names.map(async (name) => ({
      name,
      mediaType: await readType(folder, name),
      bytes: (await stat(join(folder, name))).size,
    })),
  );
}

export async function readArtifact(folder: string, name: string, from: number, limit: number): Promise<ArtifactSlice> {
  const mediaType = await readType(folder, name);
  const path = join(folder, name);
  if (!existsSync(path)) throw new LonghaulError("not_found", `The job has no artifact "${name}".`);
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.max(0, Math.min(limit, size - from));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return { name, mediaType, bytes: size, from, content: buffer.subarray(0, bytesRead) };
  } finally {
    await file.close();
  }
}
