import type { ContentBlock } from "@modelcontextprotocol/server";
import { defined } from "../../../job/defined.ts";
import type { Job } from "../../../job/job.ts";
import { isHeld, isTerminal, type JobState } from "../../../job/state.ts";
import type { PageAnalysis } from "../../../kinds/page/contract.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { reasonOf } from "./error-codes.ts";
import { findPage } from "./page-jobs.ts";
import { phasesThat, phaseMs, phaseWord } from "./views/phase-words.ts";
import { viewSizes } from "./views/responsive-view.ts";

type View = Record<string, unknown>;
export type ReftrixStatus = "waiting" | "active" | "completed" | "failed" | "delayed";

export function statusOf(state: JobState, now: number): ReftrixStatus {
  if (state.status === "queued") return state.runAt > now ? "delayed" : "waiting";
  if (isHeld(state)) return "active";
  return state.status === "succeeded" ? "completed" : "failed";
}

/** A job as `page_getJobStatus` shows it, whichever kind it is of. */
export async function viewJob(
  context: OperationContext,
  job: Job,
): Promise<{ data: View; links: readonly ContentBlock[] }> {
  const { state } = job;
  const status = statusOf(state, Date.now());
  const page = status === "completed" && job.kind === "page" ? await findPage(context, job.id) : undefined;
  const phase = isHeld(state) ? state.progress?.phase : undefined;
  return {
    data: defined({
      jobId: job.id,
      status,
      progress: status === "completed" ? 100 : await progressOf(context, job),
      timestamps: timesOf(job),
      currentPhase: phase === undefined ? undefined : job.kind === "page" ? phaseWord(phase) : phase,
      result: page === undefined ? undefined : viewResult(job, page.analysis),
      failedReason: status === "failed" ? reasonOf(job) : undefined,
    }),
    links: page?.links ?? [],
  };
}

/** A job that is back in the queue has forgotten how far it was; its events have not. */
async function progressOf({ engine, actor }: OperationContext, { id, state }: Job): Promise<number> {
  const now = "progress" in state ? (state.progress?.percent ?? 0) : 0;
  if (state.attempt === 1 && state.interruptions === 0) return Math.floor(now);
  const events = await engine.events(id, 0, 1_000, actor);
  const before = events.map((event) => (event.type === "progress-made" ? (event.progress.percent ?? 0) : 0));
  return Math.floor(Math.max(now, ...before));
}

export function timesOf({ state, createdAt }: Job): View {
  const finishedAt = isTerminal(state) ? state.finishedAt : undefined;
  const isGood = state.status === "succeeded";
  return defined({
    created: createdAt,
    started: "startedAt" in state ? state.startedAt : undefined,
    completed: isGood ? finishedAt : undefined,
    failed: isGood ? undefined : finishedAt,
  });
}

function viewResult({ id, state }: Job, analysis: PageAnalysis): View {
  const { phases, layout, motion, quality, responsive } = analysis;
  const failedPhases = phasesThat(analysis, "failed", "timed_out");
  const [error] = phases.flatMap(({ reason, state: how }) => (how === "failed" || how === "timed_out" ? [reason] : []));
  return defined({
    webPageId: id,
    success: failedPhases.length === 0,
    partialSuccess: failedPhases.length > 0,
    completedPhases: phasesThat(analysis, "done"),
    failedPhases,
    results: defined({
      layout: layout && { sectionsDetected: layout.sections.length, visionUsed: false },
      motion: motion && {
        patternsDetected: motion.patterns.filter(({ type }) => type !== "web_animation").length,
        jsAnimationsDetected: motion.webAnimations,
        webglAnimationsDetected: motion.canvases.filter(({ isAnimated }) => isAnimated).length,
      },
      quality: quality && { overallScore: quality.score, grade: quality.grade },
      responsive: responsive && {
        differencesDetected: responsive.differences.length,
        breakpointsDetected: responsive.breakpoints.length,
        viewportsAnalyzed: viewSizes(responsive),
        analysisTimeMs: phaseMs(analysis, "responsive"),
      },
    }),
    error,
    processingTimeMs: analysis.durationMs,
    completedAt: isTerminal(state) ? new Date(state.finishedAt).toISOString() : undefined,
  });
}
