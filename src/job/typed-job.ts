import type { Failure } from "./failure.ts";
import type { Job } from "./job.ts";

declare const types: unique symbol;

/** A job that knows what it returns. */
export type JobOf<Result> = Job & {
  /** For the compiler alone. */
  readonly [types]?: Result;
};

/** What a wait for one job tells: how it ended, or that it goes on because the time ran out. */
export type JobEnd<Result> = { readonly job: Job } & (
  | { readonly status: "succeeded"; readonly result: Result }
  | { readonly status: "failed" | "timed_out"; readonly failure: Failure }
  | { readonly status: "cancelled"; readonly reason: string }
  | { readonly status: "queued" | "running" | "waiting" }
);
