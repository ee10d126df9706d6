import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { toSearchclawId } from "./job-id.ts";
import { textOf, type Reply } from "./reply.ts";

const readBytes = 1_000_000;
/** What one reply carries; a picture is in there three times. */
const mostBytes = 8_000_000;

/** The pictures of a job in base64, from what its result says of them: in which stream each is, and how big. */
export async function readImages(context: OperationContext, job: Job, images: readonly Reply[]): Promise<string[]> {
  const total = images.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  if (total > mostBytes) {
    const streams = images.map(({ stream }) => textOf(stream)).join(", ");
    throw new LonghaulError(
      "too_large",
      `The pictures have ${total} bytes, and a reply carries ${mostBytes}: read them from job ${toSearchclawId(job)}, output ${streams}.`,
    );
  }
  return Promise.all(images.map(({ stream }) => readImage(context, job, textOf(stream))));
}

async function readImage({ engine, actor }: OperationContext, job: Job, stream: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let from = 0; ;) {
    const { bytes, next } = await engine.readOutput(job.id, { stream, from, limit: readBytes }, actor);
    if (bytes.length === 0) return Buffer.concat(parts).toString("base64");
    parts.push(bytes);
    from = next;
  }
}
