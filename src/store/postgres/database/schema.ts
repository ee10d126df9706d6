import { smallTables } from "../small-tables.ts";
import { outputTables } from "../output/schema.ts";

/** Marks our schema, so that somebody else's of the same name is never touched. */
export const schemaMark = "longhaul store";

/**
 * Append-only: a released migration is never edited. Its position is the version it brings the schema to.
 * What never changes of a job is in `jobs`; `states` has what does, and is kept narrow, because each change of a row writes it anew
 * together with its entries in indexes. `state` is the truth about a job's state; the columns beside it exist to be searched by.
 * Times are epoch milliseconds that came with the call: the database's clock decides nothing. JSON is text, as it came.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE longhaul.jobs (
    id UUID PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C",
    batch TEXT COLLATE "C",
    parent UUID,
    idempotency_key TEXT COLLATE "C",
    schedule TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    spec TEXT NOT NULL,
    input TEXT NOT NULL,
    shown TEXT,
    client TEXT
  );
  CREATE INDEX jobs_kind ON longhaul.jobs (kind, id);
  CREATE INDEX jobs_owner ON longhaul.jobs (owner, id);
  CREATE INDEX jobs_name ON longhaul.jobs (name, id) WHERE name IS NOT NULL;
  CREATE INDEX jobs_batch ON longhaul.jobs (batch, id) WHERE batch IS NOT NULL;
  CREATE INDEX jobs_parent ON longhaul.jobs (parent, id) WHERE parent IS NOT NULL;
  CREATE INDEX jobs_schedule ON longhaul.jobs (schedule, id) WHERE schedule IS NOT NULL;
  CREATE UNIQUE INDEX jobs_idempotency ON longhaul.jobs (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;

  CREATE TABLE longhaul.states (
    id UUID PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    place TEXT COLLATE "C" NOT NULL,
    slot_key TEXT COLLATE "C",
    priority INTEGER NOT NULL,
    turn BIGINT NOT NULL,
    blocked INTEGER NOT NULL,
    fence BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    ready BOOLEAN NOT NULL,
    parked BOOLEAN NOT NULL,
    run_at BIGINT,
    deadline_at BIGINT,
    lease_expires_at BIGINT,
    worker TEXT,
    machine TEXT,
    cancel_asked BOOLEAN NOT NULL,
    expires_at BIGINT,
    unseen_at BIGINT,
    finished_at BIGINT,
    state TEXT NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX states_status ON longhaul.states (status, id);
  CREATE INDEX states_ready ON longhaul.states (kind, place, priority DESC, turn, id) WHERE ready;
  CREATE INDEX states_turns ON longhaul.states (kind, place, owner, priority, turn) WHERE ready;
  CREATE INDEX states_parked ON longhaul.states (kind, slot_key, priority DESC, turn, id) WHERE parked;
  CREATE INDEX states_open_key ON longhaul.states (kind, slot_key)
    WHERE slot_key IS NOT NULL AND (status IN ('running', 'waiting') OR ready AND NOT parked);
  CREATE INDEX states_delayed ON longhaul.states (run_at, id) WHERE status = 'queued' AND NOT ready AND blocked = 0;
  CREATE INDEX states_deadline ON longhaul.states (deadline_at) WHERE deadline_at IS NOT NULL;
  CREATE INDEX states_expiry ON longhaul.states (expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX states_finished ON longhaul.states (finished_at) WHERE finished_at IS NOT NULL;
  CREATE INDEX states_unseen ON longhaul.states (owner, unseen_at, id) WHERE unseen_at IS NOT NULL;

  CREATE TABLE longhaul.events (
    job UUID NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (job, seq)
  );
  CREATE TABLE longhaul.results (job UUID PRIMARY KEY, result TEXT NOT NULL);
  CREATE TABLE longhaul.checkpoints (job UUID PRIMARY KEY, checkpoint TEXT NOT NULL);
  CREATE TABLE longhaul.questions (
    job UUID NOT NULL, key TEXT COLLATE "C" NOT NULL, question TEXT NOT NULL, asked_at BIGINT NOT NULL,
    answer TEXT, answered_at BIGINT,
    PRIMARY KEY (job, key)
  );
  CREATE TABLE longhaul.tags (tag TEXT COLLATE "C" NOT NULL, job UUID NOT NULL, PRIMARY KEY (tag, job));
  CREATE INDEX tags_job ON longhaul.tags (job);
  CREATE TABLE longhaul.dependencies (needs UUID NOT NULL, job UUID NOT NULL, PRIMARY KEY (needs, job));
  CREATE INDEX dependencies_job ON longhaul.dependencies (job);
  CREATE TABLE longhaul.paused_kinds (kind TEXT COLLATE "C" PRIMARY KEY);
  CREATE TABLE longhaul.limits (kind TEXT COLLATE "C" PRIMARY KEY, limits TEXT NOT NULL, is_rated BOOLEAN NOT NULL);
  CREATE TABLE longhaul.starts (kind TEXT COLLATE "C" NOT NULL, at BIGINT NOT NULL, count INTEGER NOT NULL);
  CREATE INDEX starts_kind ON longhaul.starts (kind, at);
  CREATE TABLE longhaul.tombstones (
    id UUID PRIMARY KEY, owner TEXT NOT NULL, purged_at BIGINT NOT NULL, has_output BOOLEAN NOT NULL
  );
  CREATE INDEX tombstones_output ON longhaul.tombstones (id) WHERE has_output;
  CREATE INDEX tombstones_age ON longhaul.tombstones (purged_at);

  CREATE TABLE longhaul.receivers (
    job UUID NOT NULL, target INTEGER NOT NULL, format TEXT NOT NULL, url TEXT NOT NULL, host TEXT NOT NULL, secret TEXT,
    is_gone BOOLEAN NOT NULL DEFAULT false,
    PRIMARY KEY (job, target)
  );
  CREATE TABLE longhaul.deliveries (
    job UUID NOT NULL,
    seq BIGINT NOT NULL,
    target INTEGER NOT NULL,
    type TEXT NOT NULL,
    host TEXT COLLATE "C" NOT NULL,
    job_state TEXT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    uncounted INTEGER NOT NULL DEFAULT 0,
    is_claimed BOOLEAN NOT NULL DEFAULT false,
    next_at BIGINT,
    last_status INTEGER,
    last_error TEXT,
    created_at BIGINT NOT NULL,
    delivered_at BIGINT,
    PRIMARY KEY (job, seq, target)
  );
  CREATE INDEX deliveries_due ON longhaul.deliveries (host, next_at) WHERE state = 'pending';
  CREATE INDEX deliveries_state ON longhaul.deliveries (state, job, seq, target);
  CREATE INDEX deliveries_claimed ON longhaul.deliveries (host, next_at) WHERE is_claimed;
  CREATE TABLE longhaul.job_counts (
    batch TEXT COLLATE "C" NOT NULL, owner TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL, count BIGINT NOT NULL,
    PRIMARY KEY (batch, owner, kind, status)
  );
  CREATE TABLE longhaul.count_changes (
    batch TEXT COLLATE "C" NOT NULL, owner TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL, change BIGINT NOT NULL
  );
  CREATE TABLE longhaul.ends (
    num BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, at BIGINT NOT NULL, wait_ms BIGINT, run_ms BIGINT
  );
  CREATE TABLE longhaul.rollups (
    span BIGINT NOT NULL, at BIGINT NOT NULL, owner TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, figures TEXT NOT NULL,
    PRIMARY KEY (span, at, owner, kind)
  );
  CREATE TABLE longhaul.members (machine TEXT PRIMARY KEY, worker TEXT NOT NULL, expires_at BIGINT NOT NULL, member TEXT NOT NULL);

  CREATE TABLE longhaul.unindexed (job UUID PRIMARY KEY);
  CREATE TABLE longhaul.words (job UUID PRIMARY KEY, words TSVECTOR NOT NULL);
  CREATE INDEX words_words ON longhaul.words USING gin (words) WITH (fastupdate = on);
  `,
  smallTables,
  outputTables,
];
