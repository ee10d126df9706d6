import type { Json } from "../../job/json.ts";

/** What a worker says with one line of its output. */
export type WorkerMessage =
  | { readonly type: "progress"; readonly progress: Json }
  | { readonly type: "stream"; readonly chunk: Json }
  | { readonly type: "output"; readonly output: Json }
  | { readonly type: "error"; readonly error: Json }
  /** Not a message: something for people to read. */
  | { readonly type: "log"; readonly text: string };

/** A line is a message if it is a JSON object with one of the known keys; one that names another job is none of this job's. */
export function readMessage(line: string, jobId: string): WorkerMessage {
  const said = line.startsWith("{") ? parseObject(line) : undefined;
  if (said === undefined || (said["id"] !== undefined && said["id"] !== jobId)) return { type: "log", text: line };
  if (said["output"] !== undefined) return { type: "output", output: said["output"] };
  if (said["error"] !== undefined) return { type: "error", error: said["error"] };
  if (said["stream"] !== undefined) return { type: "stream", chunk: said["stream"] };
  if (said["progress"] !== undefined) return { type: "progress", progress: said["progress"] };
  return { type: "log", text: line };
}

function parseObject(line: string): Record<string, Json> | undefined {
  try {
    return JSON.parse(line) as Record<string, Json>;
  } catch {
    return undefined;
  }
}
