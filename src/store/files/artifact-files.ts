import { existsSync } from "node:fs";
import { open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { mediaTypeOf, type Artifact } from "../../job/artifact.ts";
import { LonghaulError } from "../../job/error.ts";
import { makeFolder } from "./make-folder.ts";
import type { ArtifactSlice } from "../output-store.ts";

/** Whole or not there at all, also after a power cut: it gets its name when all of it is on the disk. */
export async function saveArtifact(folder: string, name: string, content: string | Uint8Array): Promise<Artifact> {
  const mediaType = mediaTypeOf(name);
  makeFolder(folder);
  const unfinished = join(folder, `.${name}`);
  const file = await open(unfinished, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, join(folder, name));
  return { name, mediaType, bytes: Buffer.byteLength(content) };
}

export async function listArtifacts(folder: string): Promise<Artifact[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => !name.startsWith(".")).toSorted();
  return Promise.all(
    names.map(async (name) => ({ name, mediaType: mediaTypeOf(name), bytes: (await stat(join(folder, name))).size })),
  );
}

export async function readArtifact(folder: string, name: string, from: number, limit: number): Promise<ArtifactSlice> {
  const mediaType = mediaTypeOf(name);
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
