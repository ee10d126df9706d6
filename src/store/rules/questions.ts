import type { Job } from "../../job/job.ts";
import type { AskedQuestion, Question } from "../../job/question.ts";
import { isTerminal } from "../../job/state.ts";
import { ask, closeQuestion, type Change, type LeaseToken } from "../../job/transitions.ts";
import type { AnswerResult } from "../store.ts";

export interface Asking {
  /** The question that the asker gets, with its answer if there is one. */
  readonly asked: AskedQuestion;
  /** The question is to be stored. */
  readonly isNew: boolean;
  readonly change: Change | undefined;
}

/**
 * Asks, unless the key was asked under before: then that question counts, and its answer if it has one. `known` is that
 * question; the caller holds the job.
 */
export function decideAsk(
  job: Job,
  lease: LeaseToken,
  known: AskedQuestion | undefined,
  asking: { key: string; question: Question; at: number },
): Asking {
  if (known?.answer !== undefined) return { asked: known, isNew: false, change: undefined };
  const { key, question, at } = asking;
  const asked = known ?? { key, question, askedAt: at };
  return { asked, isNew: known === undefined, change: ask(job, lease, { key, question: asked.question, at }) };
}

export interface Answering {
  readonly result: AnswerResult;
  readonly change?: Change;
}

/** An answer counts once, and only while the job goes on; the answer is to be stored where there is a change. */
export function decideAnswer(
  job: Job,
  known: AskedQuestion | undefined,
  { key, at, by }: { key: string; at: number; by?: string },
): Answering {
  if (known === undefined) return { result: "not_asked" };
  if (known.answer !== undefined) return { result: "already_answered" };
  if (isTerminal(job.state)) return { result: "finished" };
  return { result: "answered", change: closeQuestion(job, { key, at, by }) };
}
