import { execFile } from "node:child_process";
import { open, readFile, rename, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The bytes of a stream's first file that were taken out while its process went on appending to it. */
export interface Cut {
  readonly from: number;
  readonly to: number;
}

export async function readCut(folder: string, stream: string): Promise<Cut | undefined> {
  const text = await readFile(cutFile(folder, stream), "utf8").catch(() => undefined);
  const [from, to] = (text ?? "").split(" ").map(Number);
  return from === undefined || to === undefined || Number.isNaN(to) ? undefined : { from, to };
}

/**
 * Frees the middle of a file that another process appends to. Where the system can punch holes, offsets in the file
 * stay what they are and not a byte of the head or the tail is touched; elsewhere the file is emptied and starts anew
 * under the name of its new offset, with the head kept beside it. The cut is on record before the bytes are gone.
 */
export async function cutMiddle(folder: string, stream: string, headBytes: number, tailBytes: number): Promise<void> {
  const path = join(folder, `${stream}.0`);
  const { size } = await stat(path);
  const from = Math.ceil(headBytes / 4096) * 4096;
  const to = Math.floor((size - tailBytes) / 4096) * 4096;
  const before = await readCut(folder, stream);
  const start = before?.to ?? from;
  if (to <= start) return;
  try {
    await writeCut(folder, stream, { from, to });
    await run("fallocate", ["--punch-hole", "--offset", String(start), "--length", String(to - start), path]);
  } catch {
    await restart(folder, stream, path, headBytes);
  }
}

async function writeCut(folder: string, stream: string, cut: Cut): Promise<void> {
  const file = cutFile(folder, stream);
  await writeFile(`${file}.tmp`, `${cut.from} ${cut.to}`);
  await rename(`${file}.tmp`, file);
}

async function restart(folder: string, stream: string, path: string, headBytes: number): Promise<void> {
  const source = await open(path, "r");
  const { buffer, bytesRead } = await source.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  await source.close();
  const head = join(folder, `${stream}.head`);
  await writeFile(head, buffer.subarray(0, bytesRead), { mode: 0o600 });
  const { size } = await stat(path);
  await truncate(path, 0);
  await rename(path, join(folder, `${stream}.${size}`));
  await rename(head, path);
  await writeCut(folder, stream, { from: bytesRead, to: bytesRead });
}

function cutFile(folder: string, stream: string): string {
  return join(folder, `${stream}.cut`);
}
