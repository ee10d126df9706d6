/** Marks a SQLite file as ours ("LHUL"), so that somebody else's database is never touched. */
export const applicationId = 0x4c48554c;

/**
 * Append-only: a released migration is never edited. Its position is the version it brings the file to.
 * `state` is the truth about a job's state; the columns beside it exist to be searched by. `num` orders jobs by
 * creation and is what other tables and every secondary index refer to. Specs, inputs and results are kept apart, so
 * that a change of state never rewrites them.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE jobs (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT,
    batch TEXT,
    parent TEXT,
    slot_key TEXT,
    priority INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    idempotency_key TEXT,
    created_at INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    status TEXT NOT NULL,
    ready INTEGER NOT NULL,
    run_at INTEGER,
    deadline_at INTEGER,
    lease_expires_at INTEGER,
    expires_at INTEGER,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE INDEX jobs_active ON jobs (status) WHERE expires_at IS NULL;
  CREATE INDEX jobs_ended ON jobs (status) WHERE expires_at IS NOT NULL;
  CREATE INDEX jobs_kind ON jobs (kind);
  CREATE INDEX jobs_owner ON jobs (owner);
  CREATE INDEX jobs_name ON jobs (name) WHERE name IS NOT NULL;
  CREATE INDEX jobs_batch ON jobs (batch) WHERE batch IS NOT NULL;
  CREATE INDEX jobs_parent ON jobs (parent) WHERE parent IS NOT NULL;
  CREATE UNIQUE INDEX jobs_idempotency ON jobs (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX jobs_ready ON jobs (kind, priority DESC, turn) WHERE ready = 1;
  CREATE INDEX jobs_turns ON jobs (kind, owner, priority, turn) WHERE ready = 1;
  CREATE INDEX jobs_ready_key ON jobs (kind, slot_key, priority DESC, turn) WHERE ready = 1 AND slot_key IS NOT NULL;
  CREATE INDEX jobs_held_key ON jobs (kind, slot_key) WHERE lease_expires_at IS NOT NULL AND slot_key IS NOT NULL;
  CREATE INDEX jobs_delayed ON jobs (run_at) WHERE status = 'queued' AND ready = 0 AND blocked = 0;
  CREATE INDEX jobs_deadline ON jobs (deadline_at) WHERE deadline_at IS NOT NULL;
  CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE specs (job INTEGER PRIMARY KEY, spec TEXT NOT NULL, input TEXT NOT NULL, shown TEXT) STRICT;
  CREATE TABLE results (job INTEGER PRIMARY KEY, result TEXT NOT NULL) STRICT;
  CREATE TABLE checkpoints (job INTEGER PRIMARY KEY, checkpoint TEXT NOT NULL) STRICT;
  CREATE TABLE events (
    job INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (job, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE questions (
    job INTEGER NOT NULL, key TEXT NOT NULL, question TEXT NOT NULL, asked_at INTEGER NOT NULL,
    answer TEXT, answered_at INTEGER,
    PRIMARY KEY (job, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tags (tag TEXT NOT NULL, job INTEGER NOT NULL, PRIMARY KEY (tag, job)) STRICT, WITHOUT ROWID;
  CREATE INDEX tags_job ON tags (job);
  CREATE TABLE dependencies (
    job INTEGER NOT NULL, needs INTEGER NOT NULL, PRIMARY KEY (needs, job)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dependencies_job ON dependencies (job);
  CREATE TABLE paused_kinds (kind TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE tombstones (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, purged_at INTEGER NOT NULL, has_output INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tombstones_output ON tombstones (has_output) WHERE has_output = 1;
  CREATE INDEX tombstones_age ON tombstones (purged_at);
  CREATE VIRTUAL TABLE search USING fts5 (name, input, error, content = '', contentless_delete = 1, detail = none);
  CREATE TABLE search_progress (indexed_to INTEGER NOT NULL) STRICT;
  INSERT INTO search_progress (indexed_to) VALUES (0);
  `,
  `
  CREATE TABLE tokens (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    token TEXT NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX tokens_name ON tokens (name) WHERE revoked_at IS NULL;

  CREATE TABLE webhooks (
    job INTEGER PRIMARY KEY, url TEXT NOT NULL, host TEXT NOT NULL, secret TEXT, is_gone INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE deliveries (
    job INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    host TEXT NOT NULL,
    job_state TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    uncounted INTEGER NOT NULL DEFAULT 0,
    is_claimed INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER,
    last_status INTEGER,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    delivered_at INTEGER,
    PRIMARY KEY (job, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_due ON deliveries (host, next_at) WHERE state = 'pending';
  CREATE INDEX deliveries_state ON deliveries (state, job, seq);
  `,
  `
  ALTER TABLE specs ADD COLUMN client TEXT;
  `,
  `
  CREATE TABLE receivers (
    job INTEGER NOT NULL,
    target INTEGER NOT NULL,
    format TEXT NOT NULL,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    secret TEXT,
    is_gone INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, target)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO receivers (job, target, format, url, host, secret, is_gone)
    SELECT job, 0, 'webhook', url, host, secret, is_gone FROM webhooks;
  DROP TABLE webhooks;

  DROP INDEX deliveries_due;
  DROP INDEX deliveries_state;
  ALTER TABLE deliveries RENAME TO webhook_deliveries;
  CREATE TABLE deliveries (
    job INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    target INTEGER NOT NULL,
    type TEXT NOT NULL,
    host TEXT NOT NULL,
    job_state TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    uncounted INTEGER NOT NULL DEFAULT 0,
    is_claimed INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER,
    last_status INTEGER,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    delivered_at INTEGER,
    PRIMARY KEY (job, seq, target)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO deliveries
    SELECT job, seq, 0, type, host, job_state, state, attempts, uncounted, is_claimed, next_at, last_status, last_error,
      created_at, delivered_at FROM webhook_deliveries;
  DROP TABLE webhook_deliveries;
  CREATE INDEX deliveries_due ON deliveries (host, next_at) WHERE state = 'pending';
  CREATE INDEX deliveries_state ON deliveries (state, job, seq, target);
  `,
  `
  ALTER TABLE jobs ADD COLUMN unseen_at INTEGER;
  CREATE INDEX jobs_unseen ON jobs (owner, unseen_at) WHERE unseen_at IS NOT NULL;
  `,
  `
  CREATE TABLE schedules (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    spec TEXT NOT NULL,
    bounds TEXT NOT NULL,
    request TEXT NOT NULL,
    client TEXT,
    next_at INTEGER,
    pause TEXT,
    revision INTEGER NOT NULL,
    planned_at INTEGER NOT NULL,
    runs INTEGER NOT NULL DEFAULT 0,
    missed INTEGER NOT NULL DEFAULT 0,
    overlap INTEGER NOT NULL DEFAULT 0,
    refused INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE UNIQUE INDEX schedules_name ON schedules (owner, name);
  CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE schedule_runs (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule INTEGER NOT NULL,
    planned_at INTEGER,
    at INTEGER NOT NULL,
    job TEXT,
    status TEXT NOT NULL,
    ended_at INTEGER,
    skip TEXT,
    reason TEXT
  ) STRICT;
  CREATE INDEX schedule_runs_schedule ON schedule_runs (schedule);
  CREATE INDEX schedule_runs_job ON schedule_runs (job) WHERE job IS NOT NULL;
  ALTER TABLE jobs ADD COLUMN schedule TEXT;
  CREATE INDEX jobs_schedule ON jobs (schedule) WHERE schedule IS NOT NULL;
  `,
  `
  CREATE INDEX deliveries_claimed ON deliveries (host, next_at) WHERE is_claimed = 1;
  CREATE TABLE marks (name TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX marks_expiry ON marks (expires_at);
  `,
  `
  ALTER TABLE jobs ADD COLUMN place TEXT;
  CREATE INDEX jobs_place ON jobs (place) WHERE place IS NOT NULL;
  DROP INDEX jobs_ready;
  DROP INDEX jobs_turns;
  DROP INDEX jobs_ready_key;
  CREATE INDEX jobs_ready ON jobs (kind, place, priority DESC, turn) WHERE ready = 1;
  CREATE INDEX jobs_turns ON jobs (kind, place, owner, priority, turn) WHERE ready = 1;
  CREATE INDEX jobs_ready_key ON jobs (kind, place, slot_key, priority DESC, turn) WHERE ready = 1 AND slot_key IS NOT NULL;
  `,
  // What there was before is counted, and its `finished_at` written, in pieces later: `catch_up` says how far that has come.
  `
  ALTER TABLE jobs ADD COLUMN finished_at INTEGER;
  CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
  CREATE TABLE job_counts (
    batch TEXT NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (batch, owner, kind, status)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE catch_up (done_to INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
  INSERT INTO catch_up (done_to, until) SELECT 0, coalesce(max(num), 0) FROM jobs;
  CREATE TABLE ends (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, at INTEGER NOT NULL, wait_ms INTEGER, run_ms INTEGER
  ) STRICT;
  CREATE TABLE rollups (
    span INTEGER NOT NULL, at INTEGER NOT NULL, owner TEXT NOT NULL, kind TEXT NOT NULL, figures TEXT NOT NULL,
    PRIMARY KEY (span, at, owner, kind)
  ) STRICT, WITHOUT ROWID;
  `,
];
