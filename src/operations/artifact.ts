import { z } from "zod";
import type { Artifact } from "../job/artifact.ts";
import { findJob } from "./job-reference.ts";
import { defineOperation } from "./operation.ts";

export const artifactSchema = z.object({ name: z.string(), media_type: z.string(), bytes: z.int() });

export const artifactAnswerSchema = z.object({
  id: z.string(),
  artifacts: z.array(artifactSchema).describe("All files of the job, or the one that was asked for."),
  content: z.string().optional().describe("Base64, from `from` on."),
  next: z.int().optional().describe("Where to read on; absent at the end."),
});

export const jobArtifact = defineOperation({
  name: "job_artifact",
  scope: "read",
  description: "List the files that a job has made (reports, screenshots), or read one of them.",
  input: z.strictObject({
    id: z.string().min(1).describe("Job id, the end of one, or a name."),
    name: z.string().max(200).optional().describe("The file to read; without it they are listed."),
    from: z.int().min(0).default(0),
    limit: z.int().min(1).max(1_000_000).default(1_000_000).describe("Most bytes to return."),
  }),
  output: artifactAnswerSchema,
  run: async ({ engine, actor }, { id, name, from, limit }) => {
    const job = await findJob(engine, id, actor);
    if (name === undefined) return { id: job.id, artifacts: (await engine.artifacts(job.id, actor)).map(showArtifact) };
    const slice = await engine.readArtifact(job.id, name, { from, limit }, actor);
    const end = slice.from + slice.content.length;
    return {
      id: job.id,
      artifacts: [showArtifact(slice)],
      content: Buffer.from(slice.content).toString("base64"),
      next: end < slice.bytes ? end : undefined,
    };
  },
});

export function showArtifact({ name, mediaType, bytes }: Artifact): z.input<typeof artifactSchema> {
  return { name, media_type: mediaType, bytes };
}
