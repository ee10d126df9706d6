/** Tokens and marks, which are a few rows, and schedules. A crash of the database may forget what was used up of a rate. */
export const smallTables = `
  CREATE TABLE longhaul.tokens (
    num BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    token TEXT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
  );
  CREATE UNIQUE INDEX tokens_name ON longhaul.tokens (name) WHERE revoked_at IS NULL;
  CREATE UNLOGGED TABLE longhaul.token_rates (id TEXT COLLATE "C" PRIMARY KEY, used_up_to DOUBLE PRECISION NOT NULL DEFAULT 0);
  CREATE TABLE longhaul.marks (name TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL, expires_at BIGINT NOT NULL);
  CREATE INDEX marks_expiry ON longhaul.marks (expires_at);

  CREATE TABLE longhaul.schedules (
    num BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    owner TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    spec TEXT NOT NULL,
    bounds TEXT NOT NULL,
    request TEXT NOT NULL,
    client TEXT,
    next_at BIGINT,
    pause TEXT,
    revision BIGINT NOT NULL,
    planned_at BIGINT NOT NULL,
    runs BIGINT NOT NULL DEFAULT 0,
    missed BIGINT NOT NULL DEFAULT 0,
    overlap BIGINT NOT NULL DEFAULT 0,
    refused BIGINT NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX schedules_name ON longhaul.schedules (owner, name);
  CREATE INDEX schedules_due ON longhaul.schedules (next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE longhaul.schedule_runs (
    num BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule TEXT COLLATE "C" NOT NULL,
    planned_at BIGINT,
    at BIGINT NOT NULL,
    job UUID,
    status TEXT NOT NULL,
    ended_at BIGINT,
    skip TEXT,
    reason TEXT
  );
  CREATE INDEX schedule_runs_schedule ON longhaul.schedule_runs (schedule, num);
  CREATE INDEX schedule_runs_open ON longhaul.schedule_runs (schedule) WHERE status IN ('queued', 'running', 'waiting');
  CREATE INDEX schedule_runs_job ON longhaul.schedule_runs (job) WHERE job IS NOT NULL;
`;
