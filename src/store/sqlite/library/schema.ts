export const libraryApplicationId = 0x4c48_4c42;

/** Append only: what a release has written is read by all later ones. */
export const libraryMigrations = [
  `
  CREATE TABLE pages (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    sections INTEGER NOT NULL,
    motions INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    body BLOB NOT NULL
  );
  CREATE INDEX pages_by_age ON pages (kept_at, num);
  CREATE INDEX pages_by_owner ON pages (owner, num);
  CREATE TABLE entries (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    page INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    facts TEXT NOT NULL,
    vector BLOB NOT NULL,
    text TEXT NOT NULL
  );
  CREATE INDEX entries_by_page ON entries (page, num);
  CREATE TABLE sources (entry INTEGER PRIMARY KEY, body BLOB NOT NULL);
  CREATE VIRTUAL TABLE search USING fts5 (
    title, body, content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
  );
  `,
];
