import { isJobId } from "../../job/id.ts";

export type JobPart = "status" | "output" | "result";

export function jobUri(id: string, part: JobPart = "status"): string {
  return part === "status" ? `job://${id}` : `job://${id}/${part}`;
}

/** The job and the part of it that a URI names; undefined if it is not one of ours. */
export function parseJobUri(uri: string): { id: string; part: JobPart } | undefined {
  const [, id = "", part = "status"] = /^job:\/\/([0-9a-f-]{36})(?:\/(output|result))?\/?(?:\?.*)?$/.exec(uri) ?? [];
  return isJobId(id) ? { id, part: part as JobPart } : undefined;
}
