import { meets } from "../../../library/conditions.ts";
import type { Reader, SearchRequest } from "../../../library/library.ts";
import { toTerms, type Term } from "../../../library/wishes.ts";
import type { Statement } from "../driver.ts";
import type { EntryIndex, IndexedEntry } from "./entry-index.ts";

export interface Hit {
  readonly num: number;
  readonly similarity: number;
}

interface Searched {
  readonly sql: (text: string) => Statement;
  readonly index: EntryIndex;
}

/** Below this an entry has nothing of what was looked for. */
const leastSimilarity = 0.1;
const inBody = 0.8;
/** Half of what is wished for is seen in nearly everything, so it counts for nothing. */
const leastMatch = 0.5;

/** What the reader may see and is at least a little like what is looked for: how much there is, and the part that is asked for. */
export function findHits(db: Searched, request: SearchRequest, reader: Reader): { hits: Hit[]; total: number } {
  const { minSimilarity = 0, offset, limit } = request;
  const places = findPlaces(db, request, reader);
  const similarity = chooseMeasure(db, request, places, reader);
  const least = Math.max(leastSimilarity, minSimilarity);
  const hits: Hit[] = [];
  for (const place of places) {
    const found = similarity(place);
    if (found >= least) hits.push({ num: db.index.at(place)?.num ?? 0, similarity: found });
  }
  return { hits: firstOf(hits, offset + limit).slice(offset, offset + limit), total: hits.length };
}

/** The entries that come into question: of one page, or of the newest analysis of each. */
function findPlaces(db: Searched, request: SearchRequest, { owner }: Reader): number[] {
  const { kind, types, conditions = [] } = request;
  const page = request.page === undefined ? undefined : (numOfPage(db, request.page) ?? -1);
  const isSeen = (entry: IndexedEntry | undefined): entry is IndexedEntry =>
    entry?.kind === kind && (owner === undefined || entry.owner === owner);
  const newest = page === undefined ? newestPages(db.index, isSeen) : undefined;
  const places: number[] = [];
  for (let place = 0; place < db.index.size; place++) {
    const entry = db.index.at(place);
    if (!isSeen(entry) || entry.page !== (page ?? newest?.get(entry.address))) continue;
    if (types !== undefined && !types.includes(entry.type)) continue;
    if (meets(entry.facts, conditions)) places.push(place);
  }
  return places;
}

/** By address. What an analysis did not look for is still known from the one before. */
function newestPages(
  index: EntryIndex,
  isSeen: (entry: IndexedEntry | undefined) => entry is IndexedEntry,
): Map<string, number> {
  const newest = new Map<string, number>();
  for (let place = 0; place < index.size; place++) {
    const entry = index.at(place);
    if (isSeen(entry)) newest.set(entry.address, Math.max(entry.page, newest.get(entry.address) ?? 0));
  }
  return newest;
}

/** The first so many, the most similar first. Only those are put in order that can be among them: that takes a tenth of the time. */
function firstOf(hits: readonly Hit[], count: number): Hit[] {
  const ordered = Float64Array.from(hits, ({ similarity }) => similarity).toSorted();
  const cutoff = ordered[ordered.length - count] ?? 0;
  return hits
    .filter(({ similarity }) => similarity >= cutoff)
    .toSorted((a, b) => b.similarity - a.similarity || b.num - a.num);
}

/** By a query's words and wishes, by another entry, or, where nothing is looked for, all alike. */
function chooseMeasure(
  db: Searched,
  { kind, query, like, wishes = [] }: SearchRequest,
  places: readonly number[],
  { owner }: Reader,
): (place: number) => number {
  const measures: ((place: number) => number)[] = [];
  if (query !== undefined) measures.push(measureTerms(db, toTerms(kind, query), places));
  if (wishes.length > 0) measures.push((place) => db.index.match(place, wishes));
  if (like !== undefined) {
    const row = db.sql("SELECT num FROM entries WHERE id = ?").get(like) as { num: number } | undefined;
    const place = row === undefined ? undefined : db.index.placeOf(row.num);
    const isSeen = place !== undefined && (owner === undefined || db.index.at(place)?.owner === owner);
    const vector = isSeen ? db.index.vectorAt(place).slice() : undefined;
    measures.push((other) => (vector === undefined || other === place ? 0 : db.index.likeness(other, vector)));
  }
  if (measures.length === 0) return () => 1;
  return (place) => measures.reduce((sum, measure) => sum + measure(place), 0) / measures.length;
}

/** How much of the query an entry has: of each word whether it is written or to be seen there; rare words count more. */
function measureTerms(db: Searched, terms: readonly Term[], places: readonly number[]): (place: number) => number {
  const { size } = db.index;
  const sums = new Float32Array(size);
  let total = 0;
  for (const { word, wishes } of terms) {
    const scores = new Float32Array(size);
    const found = findWord(db, word);
    for (const [nums, score] of found) {
      for (const num of nums) {
        const place = db.index.placeOf(num);
        if (place !== undefined) scores[place] = score;
      }
    }
    const count = Math.max(found[0]?.[0].length ?? 0, size / 20, 1);
    const weight = Math.log1p(size / count);
    total += weight;
    for (const place of places) {
      const seen = wishes.length === 0 ? 0 : db.index.match(place, wishes);
      sums[place] = (sums[place] ?? 0) + weight * Math.max(scores[place] ?? 0, seen > leastMatch ? seen : 0);
    }
  }
  return (place) => (total === 0 ? 0 : (sums[place] ?? 0) / total);
}

/** Where a word is written: anywhere, and then in titles. One row of all numbers is read in a fraction of the time of many. */
function findWord({ sql }: Searched, word: string): [nums: number[], score: number][] {
  const find = sql("SELECT json_group_array(rowid) AS nums FROM search WHERE search MATCH ?");
  // Languages that are written without spaces have no words to be found whole.
  const text = /^[\x20-\x7e]+$/.test(word) ? `"${word}"` : `"${word}"*`;
  const read = (expression: string): number[] =>
    JSON.parse((find.get(expression) as { nums: string }).nums) as number[];
  return [
    [read(text), inBody],
    [read(`title : ${text}`), 1],
  ];
}

function numOfPage({ sql }: Searched, id: string): number | undefined {
  return (sql("SELECT num FROM pages WHERE id = ?").get(id) as { num: number } | undefined)?.num;
}
