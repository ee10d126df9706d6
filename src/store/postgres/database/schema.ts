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
    num BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    kind TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C",
    batch TEXT COLLATE "C",
    parent UUID,
    slot_key TEXT COLLATE "C",
    priority INTEGER NOT NULL,
    idempotency_key TEXT COLLATE "C",
    schedule TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    spec TEXT NOT NULL,
    input TEXT NOT NULL,
    shown TEXT,
    client TEXT
  );
  CREATE INDEX jobs_kind ON longhaul.jobs (kind, num);
  CREATE INDEX jobs_owner ON longhaul.jobs (owner, num);
  CREATE INDEX jobs_name ON longhaul.jobs (name, num) WHERE name IS NOT NULL;
  CREATE INDEX jobs_batch ON longhaul.jobs (batch, num) WHERE batch IS NOT NULL;
  CREATE INDEX jobs_parent ON longhaul.jobs (parent, num) WHERE parent IS NOT NULL;
  CREATE INDEX jobs_schedule ON longhaul.jobs (schedule, num) WHERE schedule IS NOT NULL;
  CREATE UNIQUE INDEX jobs_idempotency ON longhaul.jobs (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;

  CREATE TABLE longhaul.states (
    job BIGINT PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    slot_key TEXT COLLATE "C",
    priority INTEGER NOT NULL,
    turn BIGINT NOT NULL,
    blocked INTEGER NOT NULL,
    fence BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    ready BOOLEAN NOT NULL,
    parked BOOLEAN NOT NULL DEFAULT false,
    run_at BIGINT,
    deadline_at BIGINT,
    lease_expires_at BIGINT,
    expires_at BIGINT,
    unseen_at BIGINT,
    state TEXT NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX states_status ON longhaul.states (status, job);
  CREATE INDEX states_ready ON longhaul.states (kind, priority DESC, turn, job) WHERE ready;
  CREATE INDEX states_turns ON longhaul.states (kind, owner, priority, turn) WHERE ready;
  CREATE INDEX states_parked ON longhaul.states (kind, slot_key, priority DESC, turn, job) WHERE parked;
  CREATE INDEX states_held_key ON longhaul.states (kind, slot_key) WHERE lease_expires_at IS NOT NULL AND slot_key IS NOT NULL;
  CREATE INDEX states_delayed ON longhaul.states (run_at) WHERE status = 'queued' AND NOT ready AND blocked = 0;
  CREATE INDEX states_deadline ON longhaul.states (deadline_at) WHERE deadline_at IS NOT NULL;
  CREATE INDEX states_expiry ON longhaul.states (expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX states_unseen ON longhaul.states (owner, unseen_at, job) WHERE unseen_at IS NOT NULL;

  CREATE TABLE longhaul.events (
    job BIGINT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (job, seq)
  );
  CREATE TABLE longhaul.results (job BIGINT PRIMARY KEY, result TEXT NOT NULL);
  CREATE TABLE longhaul.checkpoints (job BIGINT PRIMARY KEY, checkpoint TEXT NOT NULL);
  CREATE TABLE longhaul.questions (
    job BIGINT NOT NULL, key TEXT COLLATE "C" NOT NULL, question TEXT NOT NULL, asked_at BIGINT NOT NULL,
    answer TEXT, answered_at BIGINT,
    PRIMARY KEY (job, key)
  );
  CREATE TABLE longhaul.tags (tag TEXT COLLATE "C" NOT NULL, job BIGINT NOT NULL, PRIMARY KEY (tag, job));
  CREATE INDEX tags_job ON longhaul.tags (job);
  CREATE TABLE longhaul.dependencies (needs BIGINT NOT NULL, job BIGINT NOT NULL, PRIMARY KEY (needs, job));
  CREATE INDEX dependencies_job ON longhaul.dependencies (job);
  CREATE TABLE longhaul.paused_kinds (kind TEXT COLLATE "C" PRIMARY KEY);
  CREATE TABLE longhaul.tombstones (
    id UUID PRIMARY KEY, owner TEXT NOT NULL, purged_at BIGINT NOT NULL, has_output BOOLEAN NOT NULL
  );
  CREATE INDEX tombstones_output ON longhaul.tombstones (id) WHERE has_output;
  CREATE INDEX tombstones_age ON longhaul.tombstones (purged_at);

  CREATE TABLE longhaul.unindexed (job BIGINT PRIMARY KEY);
  CREATE TABLE longhaul.words (job BIGINT PRIMARY KEY, words TSVECTOR NOT NULL);
  CREATE INDEX words_words ON longhaul.words USING gin (words);
  `,
];
