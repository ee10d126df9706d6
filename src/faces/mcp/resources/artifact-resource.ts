import type { ContentBlock, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Artifact } from "../../../job/artifact.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { JobAccess } from "../tools/job-tool.ts";
import { artifactUri } from "./job-uri.ts";

/** A message with more is of no use to a client. */
const maxBytes = 8_000_000;
const texts = /^text\/|[/+](json|xml)$/;

/** A file of a job: text as text, anything else as base64. */
export async function readArtifactResource(
  uri: string,
  { id, name }: { id: string; name: string },
  access: JobAccess,
): Promise<ReadResourceResult["contents"][number]> {
  const { content, mediaType: mimeType } = await readArtifact(id, name, access);
  return texts.test(mimeType)
    ? { uri, mimeType, text: content.toString("utf8") }
    : { uri, mimeType, blob: content.toString("base64") };
}

/** All of a file, which is refused if it is too large to be sent in one message. */
export async function readArtifact(
  id: string,
  name: string,
  { engine, actor }: JobAccess,
): Promise<{ content: Buffer; mediaType: string }> {
  const parts: Uint8Array[] = [];
  for (let from = 0; ;) {
    const { content, bytes, mediaType } = await engine.readArtifact(id, name, { from }, actor);
    if (bytes > maxBytes) {
      throw new LonghaulError(
        "too_large",
        `${name} has ${bytes} bytes; at most ${maxBytes} are sent at once: read it in parts with job_artifact.`,
      );
    }
    parts.push(content);
    from += content.length;
    if (from >= bytes || content.length === 0) return { content: Buffer.concat(parts), mediaType };
  }
}

export function linkArtifacts(id: string, artifacts: readonly Pick<Artifact, "name" | "mediaType">[]): ContentBlock[] {
  return artifacts.map(({ name, mediaType: mimeType }) => ({
    type: "resource_link",
    uri: artifactUri(id, name),
    name,
    mimeType,
  }));
}
