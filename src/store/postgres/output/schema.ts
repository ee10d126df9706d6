/**
 * Output as everybody reads it: chunks of streams, of at most 64 KB before they are packed, and of artifacts. Letters may be lost, so
 * they cost no log.
 */
export const outputTables = `
  CREATE TABLE longhaul.chunks (
    job UUID NOT NULL, attempt INTEGER NOT NULL, stream TEXT COLLATE "C" NOT NULL,
    start BIGINT NOT NULL, stop BIGINT NOT NULL, whole BOOLEAN NOT NULL, packed BOOLEAN NOT NULL, bytes BYTEA NOT NULL,
    PRIMARY KEY (job, attempt, stream, start)
  );
  ALTER TABLE longhaul.chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE longhaul.spools (
    job UUID NOT NULL, attempt INTEGER NOT NULL, machine TEXT NOT NULL, PRIMARY KEY (job, attempt)
  );
  CREATE TABLE longhaul.pieces (
    job UUID NOT NULL, attempt INTEGER NOT NULL, name TEXT COLLATE "C" NOT NULL, packed BOOLEAN NOT NULL, bytes BYTEA NOT NULL,
    PRIMARY KEY (job, attempt, name)
  );
  ALTER TABLE longhaul.pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE longhaul.artifacts (
    job UUID NOT NULL, name TEXT COLLATE "C" NOT NULL, is_whole BOOLEAN NOT NULL, media_type TEXT NOT NULL, size BIGINT NOT NULL,
    PRIMARY KEY (job, name, is_whole)
  );
  CREATE TABLE longhaul.artifact_chunks (
    job UUID NOT NULL, name TEXT COLLATE "C" NOT NULL, is_whole BOOLEAN NOT NULL,
    start BIGINT NOT NULL, stop BIGINT NOT NULL, bytes BYTEA NOT NULL,
    PRIMARY KEY (job, name, is_whole, start)
  );
  ALTER TABLE longhaul.artifact_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE UNLOGGED TABLE longhaul.letters (
    id UUID PRIMARY KEY, num BIGINT GENERATED ALWAYS AS IDENTITY, job UUID NOT NULL, worker TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL, expires_at BIGINT NOT NULL, taken BOOLEAN NOT NULL DEFAULT false, answer TEXT
  );
  CREATE INDEX letters_worker ON longhaul.letters (worker, num) WHERE NOT taken;
  CREATE INDEX letters_expiry ON longhaul.letters (expires_at);
`;
