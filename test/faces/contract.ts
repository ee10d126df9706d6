import { expect } from "vitest";

/** What a door answers, in words that all of them share. */
export interface Told {
  readonly jobs?: readonly Partial<ToldJob>[];
  readonly error?: string;
  readonly [fact: string]: unknown;
}

export interface ToldJob {
  readonly id: string;
  readonly state: string;
  readonly exit_code?: number | null;
}

export type Verb =
  | "run"
  | "get"
  | "list"
  | "wait"
  | "output"
  | "send"
  | "answer"
  | "cancel"
  | "retry"
  | "events"
  | "pause"
  | "resume"
  | "prune"
  | "status";

/** One way in. A verb that it does not have answers undefined. */
export interface Door {
  readonly name: string;
  readonly ask: (verb: Verb, input: Readonly<Record<string, unknown>>) => Promise<Told | undefined>;
}

export interface Case {
  readonly rule: string;
  readonly verb: Verb;
  /** Names of jobs begin with "$": each door has jobs of its own. */
  readonly input: Readonly<Record<string, unknown>>;
  /** A part of the answer. */
  readonly expected: Told;
}

const unknownId = "01890000-0000-7000-8000-000000000000";

/** Every verb, in an order in which each finds what it needs. */
export const cases: readonly Case[] = [
  {
    rule: "a command is started",
    verb: "run",
    input: { command: "echo one; echo two; echo three", name: "$done" },
    expected: { jobs: [{}] },
  },
  {
    rule: "a command that will fail is started",
    verb: "run",
    input: { command: "echo oops; exit 3", name: "$failed" },
    expected: { jobs: [{}] },
  },
  {
    rule: "a command that waits for input is started",
    verb: "run",
    input: { command: "read line; echo got $line", name: "$reader" },
    expected: { jobs: [{}] },
  },
  {
    rule: "a long command is started",
    verb: "run",
    input: { command: "sleep 600", name: "$sleeper" },
    expected: { jobs: [{}] },
  },
  {
    rule: "a start needs a command",
    verb: "run",
    input: { command: "", name: "$none" },
    expected: { error: "invalid_input" },
  },
  {
    rule: "a job is waited for by name",
    verb: "wait",
    input: { ids: ["$done"], seconds: 20 },
    expected: { reached: true, jobs: [{ state: "succeeded" }] },
  },
  {
    rule: "a job that fails has ended too",
    verb: "wait",
    input: { ids: ["$failed"], seconds: 20 },
    expected: { reached: true, jobs: [{ state: "failed" }] },
  },
  {
    rule: "time that runs out is an answer",
    verb: "wait",
    input: { ids: ["$sleeper"], seconds: 0.2 },
    expected: { reached: false, jobs: [{ state: "running" }] },
  },
  {
    rule: "an unknown name is not waited for",
    verb: "wait",
    input: { ids: ["nobody"], seconds: 1 },
    expected: { error: "not_found" },
  },
  {
    rule: "a bad pattern is not waited for",
    verb: "wait",
    input: { ids: ["$sleeper"], seconds: 1, pattern: "(" },
    expected: { error: "invalid_input" },
  },
  {
    rule: "a job that succeeded is shown",
    verb: "get",
    input: { id: "$done" },
    expected: { jobs: [{ state: "succeeded", exit_code: 0 }] },
  },
  {
    rule: "a job that failed is shown with its exit code",
    verb: "get",
    input: { id: "$failed" },
    expected: { jobs: [{ state: "failed", exit_code: 3 }] },
  },
  { rule: "an unknown id has no job", verb: "get", input: { id: unknownId }, expected: { error: "not_found" } },
  { rule: "an unknown name has no job", verb: "get", input: { id: "nobody" }, expected: { error: "not_found" } },
  {
    rule: "jobs are listed by name and state",
    verb: "list",
    input: { name: "$failed", state: ["failed"] },
    expected: { jobs: [{ state: "failed" }] },
  },
  {
    rule: "a filter that nothing fits lists nothing",
    verb: "list",
    input: { name: "$failed", state: ["queued"] },
    expected: { jobs: [] },
  },
  {
    rule: "an unknown state is refused",
    verb: "list",
    input: { state: ["lost"] },
    expected: { error: "invalid_input" },
  },
  {
    rule: "output is read from an offset",
    verb: "output",
    input: { id: "$done", from: 4 },
    expected: { text: "two\nthree\n", is_complete: true },
  },
  { rule: "the last lines are read", verb: "output", input: { id: "$done", tail: 1 }, expected: { text: "three\n" } },
  {
    rule: "matching lines are read and counted",
    verb: "output",
    input: { id: "$done", grep: "^t" },
    expected: { text: "two\nthree\n", matches: 2 },
  },
  {
    rule: "a command that writes more than is kept is started",
    verb: "run",
    input: { command: "seq 1 20000", name: "$big" },
    expected: { jobs: [{}] },
  },
  {
    rule: "its end is waited for",
    verb: "wait",
    input: { ids: ["$big"], seconds: 20 },
    expected: { reached: true, jobs: [{ state: "succeeded" }] },
  },
  {
    rule: "a search says how much was dropped and not searched",
    verb: "output",
    input: { id: "$big", grep: "nothing" },
    expected: {
      matches: 0,
      note: expect.stringMatching(
        /^108,894 bytes, [\d,]+ bytes in the middle were dropped and not searched$/,
      ) as unknown,
    },
  },
  {
    rule: "a bad pattern is refused",
    verb: "output",
    input: { id: "$done", grep: "(" },
    expected: { error: "invalid_input" },
  },
  {
    rule: "an unknown id has no output",
    verb: "output",
    input: { id: unknownId, tail: 1 },
    expected: { error: "not_found" },
  },
  { rule: "a job that runs takes text", verb: "send", input: { id: "$reader", text: "hello" }, expected: {} },
  {
    rule: "what was sent arrives",
    verb: "wait",
    input: { ids: ["$reader"], seconds: 20 },
    expected: { reached: true, jobs: [{ state: "succeeded" }] },
  },
  {
    rule: "what was sent is in its output",
    verb: "output",
    input: { id: "$reader", tail: 1 },
    expected: { text: "got hello\n" },
  },
  {
    rule: "a job that has ended takes no text",
    verb: "send",
    input: { id: "$done", text: "hello" },
    expected: { error: "conflict" },
  },
  {
    rule: "a job that asks nothing takes no answer",
    verb: "answer",
    input: { id: "$sleeper" },
    expected: { error: "invalid_input" },
  },
  {
    rule: "a job that succeeded is not retried",
    verb: "retry",
    input: { ids: ["$done"] },
    expected: { error: "conflict" },
  },
  {
    rule: "an unknown id is not retried",
    verb: "retry",
    input: { ids: [unknownId] },
    expected: { error: "not_found" },
  },
  {
    rule: "a running job is cancelled",
    verb: "cancel",
    input: { ids: ["$sleeper"], reason: "enough" },
    expected: { jobs: [{ state: "running" }] },
  },
  {
    rule: "a cancelled job ends",
    verb: "wait",
    input: { ids: ["$sleeper"], seconds: 20 },
    expected: { reached: true, jobs: [{ state: "cancelled" }] },
  },
  {
    rule: "a job that has ended is left as it is",
    verb: "cancel",
    input: { ids: ["$done"] },
    expected: { jobs: [{ state: "succeeded" }] },
  },
  {
    rule: "an unknown id is not cancelled",
    verb: "cancel",
    input: { ids: [unknownId] },
    expected: { error: "not_found" },
  },
  {
    rule: "a job that failed is retried under its id",
    verb: "retry",
    input: { ids: ["$failed"] },
    expected: { jobs: [{}] },
  },
  {
    rule: "the new attempt ends",
    verb: "wait",
    input: { ids: ["$failed"], seconds: 20 },
    expected: { reached: true, jobs: [{ state: "failed" }] },
  },
  {
    rule: "the events tell it all",
    verb: "events",
    input: { id: "$failed" },
    expected: {
      types: ["job-submitted", "attempt-started", "job-finished", "job-retried", "attempt-started", "job-finished"],
    },
  },
  { rule: "a kind is paused", verb: "pause", input: { kind: "shell" }, expected: { paused_kinds: ["shell"] } },
  { rule: "a kind is resumed", verb: "resume", input: { kind: "shell" }, expected: { paused_kinds: [] } },
  {
    rule: "an unknown kind is not paused",
    verb: "pause",
    input: { kind: "nonsense" },
    expected: { error: "unknown_kind" },
  },
  { rule: "nothing is old enough to go", verb: "prune", input: {}, expected: { removed: 0 } },
  { rule: "the server tells of itself", verb: "status", input: {}, expected: { paused_kinds: [] } },
];
