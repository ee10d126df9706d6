import type { ServerResponse } from "node:http";
import { parseInput } from "../../../job/issue.ts";
import { jobArtifact } from "../../../operations/artifact.ts";
import { findJob } from "../../../operations/job-reference.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { safetyHeaders } from "../../door/answer.ts";
import type { Fields } from "../route.ts";
import { isDrained } from "./live-streams.ts";

const chunkBytes = 256_000;

/** What a browser may show in its place: pictures, which run nothing. */
const shownTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Answers with a file that a job has made. Whoever made the job chose what is in it and what it claims to be, so a browser may show
 * pictures alone, guesses no type, and would run nothing of it.
 */
export async function sendArtifact(
  { engine, actor }: OperationContext,
  fields: Fields,
  { response, drainMs }: { readonly response: ServerResponse; readonly drainMs: number },
): Promise<void> {
  const { id, name = "" } = parseInput(jobArtifact.input.pick({ id: true, name: true }), fields, jobArtifact.name);
  const job = await findJob(engine, id, actor);
  let slice = await engine.readArtifact(job.id, name, { from: 0, limit: chunkBytes }, actor);
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(slice.mediaType) ? slice.mediaType : "application/octet-stream";
  response.writeHead(200, {
    ...safetyHeaders,
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "content-type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "content-length": slice.bytes,
    "content-disposition": `${shownTypes.has(type) ? "inline" : "attachment"}; filename="${name}"`,
  });
  const { bytes } = slice;
  for (let at = 0; at < bytes && !response.destroyed;) {
    const isTaken = response.write(slice.content) || (await isDrained(response, drainMs));
    at += slice.content.length;
    if (!isTaken || slice.content.length === 0) return void response.destroy();
    if (at < bytes)
      slice = await engine.readArtifact(job.id, name, { from: at, limit: Math.min(chunkBytes, bytes - at) }, actor);
  }
  response.end();
}
