import type { z } from "zod";
import type { outputSchema } from "../../operations/job-output.ts";
import type { JobView } from "../../operations/job-view.ts";
import type { Json } from "../../job/json.ts";

/** What the operations answer, as far as their definitions do not export it. */
export type OutputAnswer = z.infer<typeof outputSchema>;

export interface JobAnswer extends JobView {
  readonly input: Json;
  readonly result?: Json;
}

export interface JobsAnswer {
  readonly jobs: JobView[];
  readonly cursor?: string;
}

export interface WaitAnswer extends JobsAnswer {
  readonly reached: boolean;
  readonly met: string[];
}

export interface StatusAnswer {
  readonly version: string;
  readonly pid: number;
  readonly started_at: string;
  readonly home: string;
  readonly url?: string;
  readonly memory_bytes: number;
  readonly paused_kinds: string[];
  readonly jobs: Record<string, number>;
}
