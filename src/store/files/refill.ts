import { mkdir, open, readdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ignoreMissing } from "./output-segments.ts";

interface Stretch {
  readonly from: number;
  readonly bytes: Uint8Array;
}

/**
 * Puts a stream back as it was kept elsewhere, in place of what is here of it: as one file in which every byte is at its offset, with a
 * note of what is not there.
 */
export async function refillStream(folder: string, stream: string, stretches: AsyncIterable<Stretch>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeStream(folder, stream);
  const file = await open(join(folder, `${stream}.0`), "w", 0o600);
  let end = 0;
  let gap: { from: number; to: number } | undefined;
  try {
    for await (const { from, bytes } of stretches) {
      if (from > end) gap = { from: gap?.from ?? end, to: from };
      await file.write(bytes, 0, bytes.length, from);
      end = from + bytes.length;
    }
    if (gap !== undefined) await writeFile(join(folder, `${stream}.cut`), `${gap.from} ${gap.to}`);
  } finally {
    await file.close();
  }
}

async function removeStream(folder: string, stream: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (new RegExp(`^${stream}\\.(\\d+|cut)$`).test(name)) await unlink(join(folder, name)).catch(ignoreMissing);
  }
}
