import { isJobId } from "../../../job/id.ts";

export type JobPart = "status" | "output" | "result" | "artifact";

interface JobPlace {
  readonly id: string;
  readonly part: JobPart;
  /** Of an artifact. */
  readonly name?: string;
}

export function jobUri(id: string, part: Exclude<JobPart, "artifact"> = "status"): string {
  return part === "status" ? `job://${id}` : `job://${id}/${part}`;
}

export function artifactUri(id: string, name: string): string {
  return `job://${id}/artifact/${name}`;
}

/** The job and the part of it that a URI names; undefined if it is not one of ours. */
export function parseJobUri(uri: string): JobPlace | undefined {
  const [, id = "", part = "status", name] =
    /^job:\/\/([0-9a-f-]{36})(?:\/(?:(output|result)|artifact\/([a-z0-9_.-]{1,120})))?\/?(?:\?.*)?$/.exec(uri) ?? [];
  if (!isJobId(id)) return undefined;
  return name === undefined ? { id, part: part as JobPart } : { id, part: "artifact", name };
}
