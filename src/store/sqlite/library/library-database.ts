import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { KeptPage, SectionSource } from "../../../kinds/page/contract.ts";
import { toEntries } from "../../../library/entries/to-entries.ts";
import { searchedFacts } from "../../../library/conditions.ts";
import { vectorLength } from "../../../library/features.ts";
import type {
  Entry,
  EntryFacts,
  EntryKind,
  FoundEntry,
  KeptAnalysis,
  LibraryLimits,
  PageFacts,
  Reader,
  SearchRequest,
} from "../../../library/library.ts";
import { pageAddress } from "../../../library/page-address.ts";
import { cacheStatements, type Connection, type Statement } from "../driver.ts";
import { EntryIndex, type IndexedEntry } from "./entry-index.ts";
import { findHits } from "./search.ts";

/** A library on an open connection, without a promise: it runs in a thread of its own. */
export class LibraryDatabase {
  readonly #connection: Connection;
  readonly #sql: (text: string) => Statement;
  readonly #limits: LibraryLimits;
  readonly #index = new EntryIndex();

  constructor(connection: Connection, limits: LibraryLimits) {
    this.#connection = connection;
    this.#sql = cacheStatements(connection);
    this.#limits = limits;
    this.#load();
  }

  keep(page: KeptPage, now: number): void {
    const { id, owner, input, analysis } = page;
    const entries = toEntries(page);
    const body = pack({ analysis, input });
    const sources = entries.map(({ source }) => (source === undefined ? undefined : pack(source)));
    const bytes = body.length + sources.reduce((sum, source) => sum + (source?.length ?? 0), 0);
    const count = (kind: EntryKind): number => entries.filter((entry) => entry.kind === kind).length;
    this.#transaction(() => {
      const before = this.#numOf(id, { owner });
      if (before !== undefined) this.#removePage(before);
      const { lastInsertRowid } = this.#sql(
        `INSERT INTO pages (id, owner, url, title, kept_at, sections, motions, bytes, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        ...[id, owner, analysis.url, analysis.page.title, now],
        ...[count("section"), count("motion"), bytes + entries.length * entryBytes, body],
      );
      const num = Number(lastInsertRowid);
      const kept = { num, owner, address: pageAddress({ id, owner, url: analysis.url }) };
      for (const [place, entry] of entries.entries()) this.#addEntry(entry, sources[place], kept);
    });
    this.prune(now);
  }

  search(request: SearchRequest, reader: Reader): { results: FoundEntry[]; total: number } {
    const { hits, total } = findHits({ sql: this.#sql, index: this.#index }, request, reader);
    const results = hits.flatMap(({ num, similarity }) => {
      const row = this.#sql(`${selectEntry} WHERE e.num = ?`).get(num) as EntryRow | undefined;
      return row === undefined ? [] : [toFound(row, similarity)];
    });
    return { results, total };
  }

  page(id: string, reader: Reader): KeptAnalysis | undefined {
    const num = this.#numOf(id, reader);
    if (num === undefined) return undefined;
    const row = this.#sql("SELECT * FROM pages WHERE num = ?").get(num) as PageRow & { body: Uint8Array };
    const { analysis, input } = unpack(row.body) as Pick<KeptAnalysis, "analysis" | "input">;
    return { page: toPageFacts(row), owner: row.owner, analysis, input };
  }

  entries(page: string, reader: Reader): FoundEntry[] {
    const num = this.#numOf(page, reader);
    if (num === undefined) return [];
    const rows = this.#sql(`${selectEntry} WHERE e.page = ? ORDER BY e.num`).all(num) as EntryRow[];
    return rows.map((row) => toFound(row, 1));
  }

  entry(id: string, { owner }: Reader): { entry: FoundEntry; source?: SectionSource } | undefined {
    const row = this.#sql(`${selectEntry} WHERE e.id = ?`).get(id) as EntryRow | undefined;
    if (row === undefined || (owner !== undefined && row.owner !== owner)) return undefined;
    const kept = this.#sql("SELECT body FROM sources WHERE entry = ?").get(row.num) as { body: Uint8Array } | undefined;
    return { entry: toFound(row, 1), ...(kept === undefined ? {} : { source: unpack(kept.body) as SectionSource }) };
  }

  list(
    { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number },
    { owner }: Reader,
  ): PageFacts[] {
    const columns = "num, id, owner, url, title, kept_at, sections, motions, bytes";
    const rows =
      owner === undefined
        ? this.#sql(`SELECT ${columns} FROM pages WHERE num < ? ORDER BY num DESC LIMIT ?`).all(before, limit)
        : this.#sql(`SELECT ${columns} FROM pages WHERE owner = ? AND num < ? ORDER BY num DESC LIMIT ?`).all(
            ...[owner, before, limit],
          );
    return (rows as PageRow[]).map(toPageFacts);
  }

  remove(id: string, reader: Reader): boolean {
    const num = this.#numOf(id, reader);
    if (num === undefined) return false;
    this.#transaction(() => this.#removePage(num));
    return true;
  }

  prune(now: number): number {
    const { maxAgeMs, maxPages, maxBytes } = this.#limits;
    let removed = 0;
    for (;;) {
      const { count, bytes } = this.#sql(
        "SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM pages",
      ).get() as {
        count: number;
        bytes: number;
      };
      const oldest = this.#sql("SELECT num, kept_at FROM pages ORDER BY kept_at, num LIMIT 1").get() as
        | { num: number; kept_at: number }
        | undefined;
      const isTooMuch = count > maxPages || (bytes > maxBytes && count > 1);
      if (oldest === undefined || !(isTooMuch || oldest.kept_at < now - maxAgeMs)) break;
      this.#transaction(() => this.#removePage(oldest.num));
      removed++;
    }
    if (removed > 0) this.#connection.exec("PRAGMA incremental_vacuum (2000)");
    return removed;
  }

  #load(): void {
    const rows = this.#sql(
      `SELECT e.num, e.page, p.id, p.owner, p.url, e.kind, e.type, e.facts, e.vector
       FROM entries e JOIN pages p ON p.num = e.page`,
    ).all() as (Omit<IndexedEntry, "facts" | "address"> & LoadedEntry)[];
    for (const { vector, facts, id, url, ...entry } of rows) {
      const address = pageAddress({ id, owner: entry.owner, url });
      this.#index.add({ ...entry, address, facts: searchedFacts(JSON.parse(facts) as EntryFacts) }, readVector(vector));
    }
  }

  #addEntry(entry: Entry, source: Uint8Array | undefined, { num: page, ...of }: KeptAs): void {
    const { id, kind, type, title, text, facts, vector } = entry;
    const { lastInsertRowid } = this.#sql(
      "INSERT INTO entries (page, id, kind, type, title, text, facts, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ).run(page, id, kind, type, title, text, JSON.stringify(facts), writeVector(vector));
    const num = Number(lastInsertRowid);
    if (source !== undefined) this.#sql("INSERT INTO sources (entry, body) VALUES (?, ?)").run(num, source);
    const searched = `${type.replaceAll("_", " ")} ${title}`;
    this.#sql("INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)").run(num, searched, text);
    this.#index.add({ num, page, ...of, kind, type, facts: searchedFacts(facts) }, vector);
  }

  #removePage(num: number): void {
    this.#sql("DELETE FROM search WHERE rowid IN (SELECT num FROM entries WHERE page = ?)").run(num);
    this.#sql("DELETE FROM sources WHERE entry IN (SELECT num FROM entries WHERE page = ?)").run(num);
    this.#sql("DELETE FROM entries WHERE page = ?").run(num);
    this.#sql("DELETE FROM pages WHERE num = ?").run(num);
    this.#index.removePage(num);
  }

  #numOf(id: string, { owner }: Reader): number | undefined {
    const row = this.#sql("SELECT num, owner FROM pages WHERE id = ?").get(id) as
      | { num: number; owner: string }
      | undefined;
    return row === undefined || (owner !== undefined && row.owner !== owner) ? undefined : row.num;
  }

  /** What fails is undone in memory as well, by reading it anew. */
  #transaction(write: () => void): void {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      write();
      this.#connection.exec("COMMIT");
    } catch (error) {
      try {
        this.#connection.exec("ROLLBACK");
      } catch {
        // SQLite rolled back by itself; the error that made it do so is the one to tell.
      }
      this.#index.clear();
      this.#load();
      throw error;
    }
  }
}

interface LoadedEntry {
  readonly id: string;
  readonly url: string;
  readonly facts: string;
  readonly vector: Uint8Array;
}

/** A page to its entries. */
interface KeptAs extends Pick<IndexedEntry, "owner" | "address"> {
  readonly num: number;
}

/** About what an entry takes besides its source. */
const entryBytes = 1_000;

const selectEntry = `SELECT e.num, e.id, e.kind, e.type, e.title, e.text, e.facts, p.owner, p.id AS page_id, p.url, p.title AS page_title,
  p.kept_at, EXISTS (SELECT 1 FROM sources s WHERE s.entry = e.num) AS has_source
  FROM entries e JOIN pages p ON p.num = e.page`;

interface EntryRow {
  num: number;
  id: string;
  kind: EntryKind;
  type: string;
  title: string;
  text: string;
  facts: string;
  owner: string;
  page_id: string;
  url: string;
  page_title: string;
  kept_at: number;
  has_source: number;
}

interface PageRow {
  num: number;
  id: string;
  owner: string;
  url: string;
  title: string;
  kept_at: number;
  sections: number;
  motions: number;
  bytes: number;
}

function toFound(row: EntryRow, similarity: number): FoundEntry {
  const { id, kind, type, title, text } = row;
  return {
    ...{ id, kind, type, title, text },
    facts: JSON.parse(row.facts) as EntryFacts,
    similarity: Math.round(Math.min(1, similarity) * 1_000) / 1_000,
    page: { id: row.page_id, url: row.url, title: row.page_title, keptAt: row.kept_at },
    hasSource: row.has_source === 1,
  };
}

function toPageFacts({ num, id, url, title, kept_at: keptAt, sections, motions, bytes }: PageRow): PageFacts {
  return { id, url, title, keptAt, place: num, sections, motions, bytes };
}

function pack(value: object): Uint8Array {
  return deflateRawSync(JSON.stringify(value));
}

function unpack(body: Uint8Array): unknown {
  return JSON.parse(inflateRawSync(body).toString("utf8"));
}

function writeVector(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

/** Copied, because a database's bytes may begin anywhere; those of a shorter vector are followed by zeros. */
function readVector(bytes: Uint8Array): Float32Array {
  const vector = new Float32Array(vectorLength);
  const read = new Float32Array(bytes.slice().buffer);
  vector.set(read.subarray(0, vectorLength));
  return vector;
}
