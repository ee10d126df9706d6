import { isDeepStrictEqual } from "node:util";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Job } from "../../src/job/job.ts";
import { isHeld, isTerminal, jobStatuses } from "../../src/job/state.ts";
import * as transitions from "../../src/job/transitions.ts";
import { allowedEdges, type Change, type Outcome } from "../../src/job/transitions.ts";
import { applied, sampleJob, second, t0 } from "./sample-job.ts";
import { seededRandom } from "../seeded-random.ts";

const codeEdges = Object.entries(allowedEdges).flatMap(([from, targets]) => targets.map((to) => `${from} --> ${to}`));

/** The edges of the first mermaid state diagram in a Markdown file. */
function drawnEdges(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, body]) => body ?? "");
  const diagram = blocks.find((block) => block.includes("stateDiagram-v2")) ?? "";
  return [...diagram.matchAll(/^\s*(\w+)\s*-->\s*(\w+)/gm)].map(([, from, to]) => `${from} --> ${to}`);
}

describe("the state diagram", () => {
  it("ARCHITECTURE.md draws the edges that the code allows, each once", () => {
    const markdown = readFileSync(join(import.meta.dirname, "../../ARCHITECTURE.md"), "utf8");
    expect(drawnEdges(markdown).toSorted()).toEqual(codeEdges.toSorted());
  });

  it("every status is in it, and a succeeded job has no way out", () => {
    expect(Object.keys(allowedEdges).toSorted()).toEqual([...jobStatuses].toSorted());
    expect(allowedEdges.succeeded).toEqual([]);
  });
});

const failure = { code: "broken", message: "It broke.", retryable: true };

type Cause = (job: Job, now: number, random: () => number) => Change | undefined;

const pick = <T>(random: () => number, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

/** The holder's token, or now and then that of somebody who lost the job. */
function tokenFor({ state }: Job, random: () => number): transitions.LeaseToken {
  const held = isHeld(state) ? state.lease : { worker: "w1", fence: 1 };
  return random() < 0.2 ? { worker: held.worker, fence: held.fence - 1 } : { worker: held.worker, fence: held.fence };
}

const anyOutcome = (random: () => number, now: number): Outcome =>
  pick<Outcome>(random, [
    { type: "succeeded", partial: random() < 0.5 },
    { type: "failed", failure },
    { type: "timed_out", failure },
    { type: "cancelled", reason: "not needed" },
    { type: "retry", failure, runAt: now + 5 },
    { type: "interrupted", cause: "test", isLoss: true },
  ]);

const causes: Record<string, Cause> = {
  start: (job, now, random) =>
    transitions.start(job, { worker: "w1", machine: "m1", fence: nextFence(random), leaseMs: second, now }),
  adopt: (job, now, random) =>
    transitions.adopt(job, { worker: "w2", machine: "m1", fence: nextFence(random), leaseMs: second, now }),
  settle: (job, now, random) => transitions.settle(job, tokenFor(job, random), anyOutcome(random, now), now),
  abandon: (job, now, random) => transitions.abandon(job, anyOutcome(random, now), now),
  cancel: (job, now) => transitions.requestCancel(job, { at: now, reason: "not needed" }),
  expire: (job, now) => transitions.expireInQueue(job, now),
  ask: (job, now, random) =>
    transitions.ask(job, tokenFor(job, random), {
      key: pick(random, ["a", "b"]),
      question: { message: "Which?" },
      at: now,
    }),
  answer: (job, now, random) => transitions.closeQuestion(job, { key: pick(random, ["a", "b"]), at: now }),
  report: (job, _now, random) => transitions.report(job, tokenFor(job, random), { percent: 1 }, random() < 0.5),
  stall: (job, now, random) => transitions.stall(job, tokenFor(job, random), random() < 0.5 ? now : undefined, now),
  retry: (job, now) => transitions.retryByHand(job, now),
};

const nextFence = (random: () => number): number => 2 + Math.floor(random() * 1_000_000);

/** The rules that a step broke; none, if all is well. */
function brokenRules(job: Job, cause: string, change: Change, now: number): string[] {
  const [before, after] = [job.state, change.state];
  const wasStamped = isHeld(before) && before.cancelRequest !== undefined;
  const ending = change.events.at(-1);
  const rules: [rule: string, holds: boolean][] = [
    ["the edge is allowed", before.status === after.status || allowedEdges[before.status].includes(after.status)],
    ["a terminal state is left only by a retry", !isTerminal(before) || cause === "retry"],
    ["a stamped job ends as cancelled", !wasStamped || isHeld(after) || after.status === "cancelled"],
    ["attempts never go back", after.attempt >= before.attempt],
    ["an end is told", !isTerminal(after) || (ending?.type === "job-finished" && ending.status === after.status)],
    ["an end has its time", !isTerminal(after) || (after.finishedAt === now && after.expiresAt > now)],
    ["just held jobs have a lease", isHeld(after) === "lease" in after],
    ["just waiting jobs have open questions", (after.status === "waiting") === "openQuestions" in after],
    ["open questions are never empty", after.status !== "waiting" || after.openQuestions.length > 0],
    ["no time is waited backwards", !isHeld(after) || after.waitedMs >= 0],
    ["a state is plain data", isPlainData(after)],
  ];
  return rules.flatMap(([rule, holds]) => (holds ? [] : [`${cause}: ${before.status} → ${after.status}: ${rule}`]));
}

/** Whether a store that keeps it as JSON gives back what it was given. */
function isPlainData(state: object): boolean {
  const stored = new Map<string, unknown>(Object.entries(JSON.parse(JSON.stringify(state)) as object));
  return Object.entries(state).every(([key, value]) => isDeepStrictEqual(value, stored.get(key)));
}

describe("any sequence of causes", () => {
  it("takes only allowed edges, leaves a terminal state only by a retry, and takes every edge in the end", () => {
    const taken = new Set<string>();
    const broken: string[] = [];
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      let job = sampleJob({ queueMs: 20, totalMs: 200 });
      for (let now = t0; now < t0 + 100; now++) {
        const cause = pick(random, Object.keys(causes));
        const change = causes[cause]?.(job, now, random);
        if (change === undefined) continue;
        broken.push(...brokenRules(job, cause, change, now));
        if (change.state.status !== job.state.status) taken.add(`${job.state.status} --> ${change.state.status}`);
        job = applied(job, change);
      }
    }
    expect(broken).toEqual([]);
    expect([...taken].toSorted()).toEqual(codeEdges.toSorted());
  });
});
