/** Where the rows of a table go. */
export interface Move {
  readonly from: string;
  /** Where it is not all of its rows as they are. */
  readonly source?: string;
  readonly to: string;
  /** The columns there, and what each is made of here, as SQLite says it. */
  readonly columns: Readonly<Record<string, string>>;
  /** What else the expressions need. */
  readonly join?: string;
  readonly booleans?: readonly string[];
}

const job = "(SELECT id FROM jobs WHERE num = t.job)";

const same = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `t.${name}`]));

/** Everything that is kept of jobs and beside them. A job is named by its id there, not by a number. */
export const moves: readonly Move[] = [
  {
    from: "jobs",
    to: "jobs",
    join: "JOIN specs s ON s.job = t.num",
    columns: {
      ...same("id", "kind", "owner", "name", "batch", "parent", "idempotency_key", "schedule", "created_at"),
      spec: "s.spec",
      input: "s.input",
      shown: "s.shown",
      client: "s.client",
    },
  },
  {
    from: "jobs",
    to: "states",
    columns: {
      ...same("id", "kind", "owner", "slot_key", "priority", "turn", "blocked", "fence", "seq", "status"),
      ...same("deadline_at", "lease_expires_at", "expires_at", "unseen_at", "state"),
      run_at: "CASE t.status WHEN 'queued' THEN coalesce(t.run_at, json_extract(t.state, '$.runAt')) END",
      finished_at: "coalesce(t.finished_at, json_extract(t.state, '$.finishedAt'))",
      place: "coalesce(t.place, '')",
      // Whoever claims first finds that their time has come, and gives them their tickets, as to all whose time comes.
      ready: "0",
      parked: "0",
      worker: "json_extract(t.state, '$.lease.worker')",
      machine: "json_extract(t.state, '$.lease.machine')",
      cancel_asked: "json_extract(t.state, '$.cancelRequest') IS NOT NULL",
    },
    booleans: ["ready", "parked", "cancel_asked"],
  },
  { from: "events", to: "events", columns: { job, ...same("seq", "at", "body") } },
  { from: "results", to: "results", columns: { job, ...same("result") } },
  { from: "checkpoints", to: "checkpoints", columns: { job, ...same("checkpoint") } },
  {
    from: "questions",
    to: "questions",
    columns: { job, ...same("key", "question", "asked_at", "answer", "answered_at") },
  },
  { from: "tags", to: "tags", columns: { job, ...same("tag") } },
  {
    from: "dependencies",
    to: "dependencies",
    columns: { job, needs: "(SELECT id FROM jobs WHERE num = t.needs)" },
  },
  { from: "paused_kinds", to: "paused_kinds", columns: same("kind") },
  {
    from: "tombstones",
    to: "tombstones",
    columns: same("id", "owner", "purged_at", "has_output"),
    booleans: ["has_output"],
  },
  {
    from: "receivers",
    to: "receivers",
    columns: { job, ...same("target", "format", "url", "host", "secret", "is_gone") },
    booleans: ["is_gone"],
  },
  {
    from: "deliveries",
    to: "deliveries",
    columns: {
      job,
      ...same("seq", "target", "type", "host", "job_state", "state", "attempts", "uncounted", "is_claimed", "next_at"),
      ...same("last_status", "last_error", "created_at", "delivered_at"),
    },
    booleans: ["is_claimed"],
  },
  { from: "tokens", to: "tokens", columns: same("id", "name", "token", "last_used_at", "revoked_at") },
  {
    from: "schedules",
    to: "schedules",
    columns: {
      ...same("id", "owner", "name", "kind", "spec", "bounds", "request", "client", "next_at", "pause", "revision"),
      ...same("planned_at", "runs", "missed", "overlap", "refused"),
    },
  },
  {
    from: "schedule_runs",
    to: "schedule_runs",
    columns: {
      schedule: "(SELECT id FROM schedules WHERE num = t.schedule)",
      ...same("planned_at", "at", "job", "status", "ended_at", "skip", "reason"),
    },
  },
  { from: "marks", to: "marks", columns: same("name", "value", "expires_at") },
  {
    from: "job_counts",
    // Those here may not be up to date: what was there before numbers were kept is counted in pieces.
    source: `(SELECT '' AS batch, owner, kind, status, count(*) AS count FROM jobs GROUP BY owner, kind, status
      UNION ALL SELECT batch, owner, kind, status, count(*) FROM jobs WHERE batch IS NOT NULL GROUP BY batch, owner, kind, status)`,
    to: "job_counts",
    columns: same("batch", "owner", "kind", "status", "count"),
  },
  { from: "ends", to: "ends", columns: same("owner", "kind", "status", "at", "wait_ms", "run_ms") },
  { from: "rollups", to: "rollups", columns: same("span", "at", "owner", "kind", "figures") },
  /** The words of jobs are looked for anew. */
  { from: "jobs", to: "unindexed", columns: { job: "t.id" } },
];

/** Tables here of which nothing goes there, and why. */
export const notMoved: Readonly<Record<string, string>> = {
  specs: "goes into jobs",
  search: "made anew from unindexed",
  search_data: "belongs to search",
  search_idx: "belongs to search",
  search_content: "belongs to search",
  search_docsize: "belongs to search",
  search_config: "belongs to search",
  search_progress: "how far search has come",
  sqlite_sequence: "SQLite's own",
  catch_up: "how far counting has come",
};
