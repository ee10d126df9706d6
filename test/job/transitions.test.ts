import { describe, expect, it } from "vitest";
import type { Failure } from "../../src/job/failure.ts";
import type { Job } from "../../src/job/job.ts";
import type { TerminalStatus } from "../../src/job/state.ts";
import * as transitions from "../../src/job/transitions.ts";
import type { Outcome } from "../../src/job/transitions.ts";
import { applied, sampleJob, second, t0 } from "./sample-job.ts";

const token = { worker: "w1", fence: 1 };
const claim = { ...token, machine: "m1", leaseMs: 30 * second, now: t0 };
const failure: Failure = { code: "broken", message: "It broke.", retryable: true };
const question = { message: "Which?" };
const cancel = { at: t0 + 5, reason: "not needed", by: "ann" };

const outcomes: Record<TerminalStatus, Outcome> = {
  succeeded: { type: "succeeded", partial: false },
  failed: { type: "failed", failure },
  timed_out: { type: "timed_out", failure },
  cancelled: { type: "cancelled", reason: "not needed" },
};
const statuses = Object.keys(outcomes) as TerminalStatus[];

const running = (limits = {}): Job => {
  const job = sampleJob(limits);
  return applied(job, transitions.start(job, claim));
};
const asking = (job: Job, key = "q"): Job =>
  applied(job, transitions.ask(job, token, { key, question, at: t0 + second }));
const waiting = (): Job => asking(running());
const ended = (status: TerminalStatus): Job => {
  const job = running();
  return applied(job, transitions.settle(job, token, outcomes[status], t0));
};

describe("submitting", () => {
  it("a submitted job is queued for its first attempt", () => {
    expect(sampleJob().state).toEqual({
      status: "queued",
      because: "submitted",
      attempt: 1,
      interruptions: 0,
      losses: 0,
      acceptedAt: t0,
      queuedAt: t0,
      runAt: t0,
    });
  });

  it("the queue limit counts from when the job may start, the total limit from submit; the earlier one ends it", () => {
    const runAt = t0 + 10 * second;
    expect(sampleJob({ queueMs: second }, runAt).state).toMatchObject({ deadlineAt: runAt + second });
    expect(sampleJob({ totalMs: 3 * second }, runAt).state).toMatchObject({ deadlineAt: t0 + 3 * second });
    expect(sampleJob({ queueMs: second, totalMs: 60 * second }, runAt).state).toMatchObject({
      deadlineAt: runAt + second,
    });
    expect(sampleJob({}, runAt).state).not.toHaveProperty("deadlineAt");
  });
});

describe("starting", () => {
  it("queued → running: a claimed job runs under a lease", () => {
    const job = sampleJob();
    const change = transitions.start(job, claim);
    expect(change?.state).toEqual({
      status: "running",
      attempt: 1,
      interruptions: 0,
      losses: 0,
      acceptedAt: t0,
      startedAt: t0,
      waitedMs: 0,
      lease: { ...token, machine: "m1", expiresAt: t0 + 30 * second },
    });
    expect(change?.events).toEqual([{ type: "attempt-started", attempt: 1, worker: "w1", machine: "m1" }]);
  });

  it("a job whose time has not come does not start", () => {
    expect(transitions.start(sampleJob({}, t0 + 1), claim)).toBeUndefined();
    expect(transitions.start(sampleJob({}, t0 + 1), { ...claim, now: t0 + 1 })).toBeDefined();
  });

  it("a job that is not queued does not start", () => {
    for (const job of [running(), waiting(), ...statuses.map(ended)]) {
      expect(transitions.start(job, claim)).toBeUndefined();
    }
  });
});

describe("settling", () => {
  it.each(statuses)("running → %s and waiting → it: the holder ends its attempt", (status) => {
    for (const job of [running(), waiting()]) {
      const change = transitions.settle(job, token, outcomes[status], t0 + second);
      expect(change?.state).toMatchObject({ status, startedAt: t0, finishedAt: t0 + second, attempt: 1 });
      expect(change?.events).toMatchObject([{ type: "job-finished", status, attempt: 1 }]);
      expect(change?.state).not.toHaveProperty("lease");
      expect(change?.state).not.toHaveProperty("openQuestions");
    }
  });

  it("failed and timed-out jobs are kept as long as failures are, the others as long as successes are", () => {
    const expiry = Object.fromEntries(statuses.map((status) => [status, ended(status).state]));
    expect(expiry).toMatchObject({
      succeeded: { expiresAt: t0 + second },
      cancelled: { expiresAt: t0 + second },
      failed: { expiresAt: t0 + 7 * second },
      timed_out: { expiresAt: t0 + 7 * second },
    });
  });

  it("running → queued: a retry raises the attempt and forgets interruptions", () => {
    const first = running({ queueMs: second, totalMs: 60 * second });
    const adopted = applied(first, transitions.adopt(first, { ...claim, ...token }));
    const outcome: Outcome = { type: "retry", failure, runAt: t0 + 9 * second };
    const change = transitions.settle(adopted, token, outcome, t0 + second);
    expect(change?.state).toEqual({
      status: "queued",
      because: "retry",
      attempt: 2,
      interruptions: 0,
      losses: 0,
      acceptedAt: t0,
      queuedAt: t0 + second,
      runAt: t0 + 9 * second,
      deadlineAt: t0 + 60 * second,
    });
    expect(change?.events).toEqual([{ type: "attempt-failed", attempt: 1, failure, nextRunAt: t0 + 9 * second }]);
  });

  it.each([
    ["running", running],
    ["waiting", waiting],
  ])("%s → queued: an interruption keeps the attempt and counts itself", (_status, make) => {
    const change = transitions.settle(
      make(),
      token,
      { type: "interrupted", cause: "stopped", isLoss: true },
      t0 + second,
    );
    expect(change?.state).toMatchObject({
      status: "queued",
      because: "interrupted",
      attempt: 1,
      interruptions: 1,
      losses: 1,
      runAt: t0 + second,
    });
    expect(change?.events).toEqual([{ type: "attempt-interrupted", attempt: 1, cause: "stopped" }]);
  });

  it("the first cause wins: what was asked to cancel ends as cancelled, with that reason and its author", () => {
    const job = running();
    const stamped = applied(job, transitions.requestCancel(job, cancel));
    const others: Outcome[] = [
      { type: "retry", failure, runAt: t0 },
      { type: "interrupted", cause: "stopped", isLoss: true },
    ];
    for (const outcome of [...Object.values(outcomes), ...others]) {
      expect(transitions.settle(stamped, token, outcome, t0 + second)?.state).toMatchObject({
        status: "cancelled",
        reason: "not needed",
        by: "ann",
        startedAt: t0,
        finishedAt: t0 + second,
      });
    }
  });

  it("nobody but the holder settles a job", () => {
    for (const other of [
      { worker: "w2", fence: 1 },
      { worker: "w1", fence: 2 },
    ]) {
      expect(transitions.settle(running(), other, outcomes.succeeded, t0)).toBeUndefined();
    }
    for (const job of [sampleJob(), ...statuses.map(ended)]) {
      expect(transitions.settle(job, token, outcomes.failed, t0)).toBeUndefined();
    }
  });

  it("the last progress stays with the end, and is gone from the next attempt", () => {
    const job = running();
    const reported = applied(job, transitions.report(job, token, { percent: 40 }, false));
    expect(transitions.settle(reported, token, outcomes.failed, t0)?.state).toMatchObject({
      progress: { percent: 40 },
    });
    const retry: Outcome = { type: "retry", failure, runAt: t0 };
    expect(transitions.settle(reported, token, retry, t0)?.state).not.toHaveProperty("progress");
  });
});

describe("losing the holder", () => {
  it("an adopted job keeps its state under a new lease", () => {
    for (const job of [running(), waiting()]) {
      const change = transitions.adopt(job, { worker: "w2", machine: "m1", fence: 2, leaseMs: second, now: t0 + 50 });
      expect(change?.state).toEqual({
        ...job.state,
        interruptions: 1,
        losses: 1,
        lease: { worker: "w2", machine: "m1", fence: 2, expiresAt: t0 + 50 + second },
      });
      expect(change?.events).toEqual([{ type: "attempt-adopted", attempt: 1, worker: "w2", machine: "m1" }]);
    }
  });

  it("an abandoned job ends or goes back to the queue, whoever held it", () => {
    expect(transitions.abandon(running(), outcomes.failed, t0)?.state.status).toBe("failed");
    expect(transitions.abandon(waiting(), { type: "interrupted", cause: "lost", isLoss: true }, t0)?.state.status).toBe(
      "queued",
    );
  });

  it("an attempt that gets further is cleared of its losses, and only by its holder", () => {
    const job = running();
    expect(transitions.advance(job, token)).toBeUndefined();
    const lost = { ...job, state: { ...job.state, losses: 3 } };
    expect(transitions.advance(lost, token)).toEqual({ state: job.state, events: [] });
    expect(transitions.advance(lost, { ...token, fence: 9 })).toBeUndefined();
  });

  it("only held jobs are adopted or abandoned", () => {
    for (const job of [sampleJob(), ...statuses.map(ended)]) {
      expect(transitions.adopt(job, claim)).toBeUndefined();
      expect(transitions.abandon(job, outcomes.failed, t0)).toBeUndefined();
    }
  });
});

describe("cancelling", () => {
  it("queued → cancelled: a job that never started has no start", () => {
    const change = transitions.requestCancel(sampleJob(), cancel);
    expect(change?.state).toMatchObject({
      status: "cancelled",
      reason: "not needed",
      by: "ann",
      finishedAt: cancel.at,
    });
    expect(change?.state).not.toHaveProperty("startedAt");
    expect(change?.events).toMatchObject([{ type: "job-finished", status: "cancelled", reason: "not needed" }]);
  });

  it("a held job is stamped once and stays as it is", () => {
    for (const job of [running(), waiting()]) {
      const change = transitions.requestCancel(job, cancel);
      expect(change?.state).toEqual({ ...job.state, cancelRequest: cancel });
      expect(change?.events).toEqual([{ type: "cancel-requested", reason: "not needed", by: "ann" }]);
      expect(transitions.requestCancel(applied(job, change), { ...cancel, reason: "again" })).toBeUndefined();
    }
  });

  it("an ended job is left alone", () => {
    for (const job of statuses.map(ended)) expect(transitions.requestCancel(job, cancel)).toBeUndefined();
  });
});

describe("limits in the queue", () => {
  it("queued → timed_out: when the deadline has come, and not before", () => {
    const job = sampleJob({ queueMs: second });
    expect(transitions.expireInQueue(job, t0 + second - 1)).toBeUndefined();
    const change = transitions.expireInQueue(job, t0 + second);
    expect(change?.state).toMatchObject({ status: "timed_out", failure: { code: "queue_limit", retryable: true } });
    expect(change?.state).not.toHaveProperty("startedAt");
  });

  it("jobs without a deadline, or not queued, do not expire", () => {
    const limited = running({ queueMs: second, totalMs: second });
    for (const job of [sampleJob(), limited, ...statuses.map(ended)]) {
      expect(transitions.expireInQueue(job, t0 + 1_000 * second)).toBeUndefined();
    }
  });
});

describe("questions", () => {
  it("running → waiting: a job that asks waits from then on", () => {
    const job = running();
    const change = transitions.ask(job, token, { key: "q", question, at: t0 + second });
    expect(change?.state).toEqual({
      ...job.state,
      status: "waiting",
      openQuestions: ["q"],
      waitingSince: t0 + second,
    });
    expect(change?.events).toEqual([{ type: "question-asked", key: "q", question }]);
  });

  it("a second question is added, the same one is not", () => {
    const both = asking(waiting(), "r");
    expect(both.state).toMatchObject({ openQuestions: ["q", "r"], waitingSince: t0 + second });
    expect(transitions.ask(both, token, { key: "q", question, at: t0 })).toEqual({ state: both.state, events: [] });
  });

  it("waiting → running: the last answer sets the job running, and the time it waited is counted", () => {
    const both = asking(waiting(), "r");
    const one = applied(both, transitions.closeQuestion(both, { key: "q", at: t0 + 2 * second }));
    expect(one.state).toMatchObject({ status: "waiting", openQuestions: ["r"] });
    const none = applied(one, transitions.closeQuestion(one, { key: "r", at: t0 + 4 * second, by: "ann" }));
    expect(none.state).toEqual({ ...running().state, waitedMs: 3 * second });
    const again = asking(none);
    const change = transitions.closeQuestion(again, { key: "q", at: t0 + 2 * second });
    expect(change?.state).toMatchObject({ status: "running", waitedMs: 4 * second });
  });

  it("an answer that comes while the job does not wait is told and changes no state", () => {
    const { state } = sampleJob();
    expect(transitions.closeQuestion(sampleJob(), { key: "q", at: t0 })).toEqual({
      state,
      events: [{ type: "question-answered", key: "q" }],
    });
    for (const job of statuses.map(ended)) {
      expect(transitions.closeQuestion(job, { key: "q", at: t0 })).toBeUndefined();
    }
  });

  it("nobody but the holder asks", () => {
    const asked = { key: "q", question, at: t0 };
    expect(transitions.ask(running(), { worker: "w2", fence: 1 }, asked)).toBeUndefined();
    expect(transitions.ask(ended("failed"), token, asked)).toBeUndefined();
  });
});

describe("progress and silence", () => {
  it("progress is an event only when asked for, and nobody but the holder reports it", () => {
    expect(transitions.report(running(), token, { percent: 1 }, false)?.events).toEqual([]);
    expect(transitions.report(running(), token, { percent: 1 }, true)?.events).toEqual([
      { type: "progress-made", progress: { percent: 1 } },
    ]);
    expect(transitions.report(running(), { worker: "w2", fence: 1 }, { percent: 1 }, true)).toBeUndefined();
  });

  it("a stall is marked once and taken back once", () => {
    const job = running();
    const change = transitions.stall(job, token, t0 + 10, t0 + 15);
    expect(change).toEqual({
      state: { ...job.state, stalledSince: t0 + 10 },
      events: [{ type: "job-stalled", idleMs: 5 }],
    });
    const stalled = applied(job, change);
    expect(transitions.stall(stalled, token, t0 + 10, t0 + 20)).toBeUndefined();
    expect(transitions.stall(stalled, token, undefined, t0 + 20)).toEqual({
      state: job.state,
      events: [{ type: "job-active-again" }],
    });
    expect(transitions.stall(job, token, undefined, t0)).toBeUndefined();
  });
});

describe("retrying by hand", () => {
  it.each(["failed", "timed_out", "cancelled"] as const)(
    "%s → queued: for a new attempt with new time limits",
    (status) => {
      const change = transitions.retryByHand(ended(status), t0 + 9 * second, "ann");
      expect(change?.state).toEqual({
        status: "queued",
        because: "retried",
        attempt: 2,
        interruptions: 0,
        losses: 0,
        acceptedAt: t0 + 9 * second,
        queuedAt: t0 + 9 * second,
        runAt: t0 + 9 * second,
      });
      expect(change?.events).toEqual([{ type: "job-retried", attempt: 2, by: "ann" }]);
    },
  );

  it("an attempt that never started is not counted", () => {
    const job = sampleJob({ queueMs: second });
    const cancelled = applied(job, transitions.requestCancel(job, cancel));
    const expired = applied(job, transitions.expireInQueue(job, t0 + second));
    for (const each of [cancelled, expired]) {
      expect(transitions.retryByHand(each, t0 + 9 * second)?.state).toMatchObject({
        attempt: 1,
        deadlineAt: t0 + 10 * second,
      });
    }
  });

  it("jobs that succeeded or have not ended are not retried", () => {
    for (const job of [ended("succeeded"), sampleJob(), running(), waiting()]) {
      expect(transitions.retryByHand(job, t0)).toBeUndefined();
    }
  });
});

describe("a clock that was set back", () => {
  const day = 24 * 3_600_000;

  it("makes no duration negative", () => {
    const answered = transitions.closeQuestion(waiting(), { key: "q", at: t0 - day });
    expect(answered?.state).toMatchObject({ status: "running", waitedMs: 0 });
    const stalled = transitions.stall(running(), token, t0, t0 - day);
    expect(stalled?.events).toEqual([{ type: "job-stalled", idleMs: 0 }]);
  });

  it("lets a queued job wait anew, and a job that was queued before is left as it is", () => {
    const job = sampleJob();
    expect(transitions.restartWait(job, t0)).toBeUndefined();
    expect(transitions.restartWait(running(), t0 - day)).toBeUndefined();
    expect(transitions.restartWait(job, t0 - day)?.state).toMatchObject({ queuedAt: t0 - day, acceptedAt: t0 - day });
  });
});
