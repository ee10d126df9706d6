import type { Job } from "../../../job/job.ts";
import { isHeld } from "../../../job/state.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { isUp, remainingMs } from "../../mcp/tasks/status-message.ts";
import { answerCall } from "./question-text.ts";

/** A job that goes on, with what a look at it told. */
export interface OpenJob {
  readonly job: Job;
  readonly view: Pick<JobView, "questions" | "live">;
}

/** The one call to make next for jobs that go on: what one of them needs, else to wait. Without such jobs there is none. */
export function nextStep(open: readonly OpenJob[], now: number): string | undefined {
  const asking = open.find(({ view }) => (view.questions ?? []).length > 0);
  if (asking !== undefined) return answerCall(asking.job.id, asking.view.questions ?? []);
  const reading = open.find(isReadingInput);
  if (reading !== undefined) return `job_send ${JSON.stringify({ id: reading.job.id, text: "what it asks for" })}`;
  const [busy, up] = [open.filter(({ job }) => !isUp(job)), open.filter(({ job }) => isUp(job))];
  if (busy.length > 0) return waitCall(busy, now);
  return up.length === 0 ? undefined : `when no longer needed, job_cancel ${JSON.stringify({ ids: idsOf(up) })}`;
}

/** It can be sent what it reads: one that is being cancelled is not worth it. */
export function isReadingInput({ job, view }: OpenJob): boolean {
  const isStopping = isHeld(job.state) && job.state.cancelRequest !== undefined;
  return view.live?.["reads_input"] === true && !isStopping;
}

function waitCall(open: readonly OpenJob[], now: number): string {
  const isStarting = open.every(({ view }) => view.live?.["is_ready"] === false);
  const call = { ids: idsOf(open), ...(isStarting ? { until: "ready" } : {}) };
  const seconds = Math.min(...open.map(({ job }) => checkAfterSeconds(job, now)));
  return `job_wait ${JSON.stringify(call)} · check_after ${seconds} s`;
}

function idsOf(open: readonly OpenJob[]): string[] {
  return open.map(({ job }) => job.id);
}

/** Seconds to leave a job alone: until it should be done, or the longer it runs, the longer. */
function checkAfterSeconds(job: Job, now: number): number {
  const { state } = job;
  const leftMs = isHeld(state) ? remainingMs(state.progress, now - state.startedAt) : undefined;
  if (leftMs !== undefined) return Math.max(1, Math.round(leftMs / 1_250));
  const ageMs = now - job.createdAt;
  return patience.find(([before]) => ageMs < before)?.[1] ?? 120;
}

const patience = [
  [10_000, 5],
  [30_000, 10],
  [60_000, 15],
  [300_000, 30],
  [1_800_000, 60],
] as const;
