import type { Hint } from "../../store.ts";
import type { Session, SqlValue } from "../database/connections.ts";

/** Something that is read, and where it matters locked, before a decision: many at a time. */
export interface Lookup<Value> {
  readonly name: string;
  /** Lookups are sent in this order, so that all transactions lock in the same. */
  readonly order: number;
  /** Sends its statements at once, and does not wait for those of others. A key that is not in the answer stands for nothing. */
  readonly load: (session: Session, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
}

/** Thrown where a decision needs what was not read yet: once that is, all decisions of the transaction are made again. */
export class Missing extends Error {
  readonly lookup: Lookup<unknown>;
  readonly keys: readonly string[];

  constructor(lookup: Lookup<unknown>, keys: readonly string[]) {
    super(`${lookup.name} ${keys.join(", ")} was not read yet`);
    this.lookup = lookup;
    this.keys = keys;
  }
}

/** A statement that takes one array for each column, and so writes any number of rows at once. */
export interface SetStatement {
  readonly sql: string;
  /** Those with lower numbers are sent first. */
  readonly order: number;
}

export type Row = readonly (null | number | string | boolean)[];

/** What one transaction has read, kept while its decisions are made again. */
export class Readings {
  readonly #values = new Map<Lookup<unknown>, Map<string, unknown>>();

  has(lookup: Lookup<unknown>, key: string): boolean {
    return this.#values.get(lookup)?.has(key) === true;
  }

  get(lookup: Lookup<unknown>, key: string): unknown {
    return this.#values.get(lookup)?.get(key);
  }

  async load(session: Session, needs: Needs): Promise<void> {
    const wanted = needs
      .list()
      .map(([lookup, keys]) => ({ lookup, keys: keys.filter((key) => !this.has(lookup, key)) }));
    const loads = wanted.filter(({ keys }) => keys.length > 0);
    const loaded = await Promise.all(loads.map(({ lookup, keys }) => lookup.load(session, keys)));
    for (const [index, { lookup, keys }] of loads.entries()) {
      const known = this.#values.get(lookup) ?? new Map<string, unknown>();
      this.#values.set(lookup, known);
      for (const key of keys) known.set(key, loaded[index]?.get(key));
    }
  }
}

/** What is to be read, in the order in which it is locked. */
export class Needs {
  readonly #keys = new Map<Lookup<unknown>, Set<string>>();

  add(lookup: Lookup<unknown>, key: string): this {
    const keys = this.#keys.get(lookup);
    if (keys === undefined) this.#keys.set(lookup, new Set([key]));
    else keys.add(key);
    return this;
  }

  addAll(others: Needs): void {
    for (const [lookup, keys] of others.#keys) for (const key of keys) this.add(lookup, key);
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  list(): [Lookup<unknown>, string[]][] {
    return [...this.#keys]
      .map(([lookup, keys]): [Lookup<unknown>, string[]] => [lookup, [...keys]])
      .toSorted((a, b) => a[0].order - b[0].order);
  }
}

/**
 * The decisions of one transaction, made in memory on what was read: nothing is written before all of them are made. Whoever decides is
 * written as if it read and wrote at once, and sees what those before it have decided.
 */
export class Unit {
  readonly #readings: Readings;
  readonly #values = new Map<Lookup<unknown>, Map<string, unknown>>();
  readonly #rows = new Map<SetStatement, Map<string, Row>>();
  #hints: Hint[] = [];
  #commits: (() => void)[] = [];
  /** How to take back what was decided, newest last. */
  readonly #undo: (() => void)[] = [];
  #count = 0;

  constructor(readings: Readings) {
    this.#readings = readings;
  }

  /** Undefined where there is nothing of this key. */
  read<Value>(lookup: Lookup<Value>, key: string): Value | undefined {
    const own = this.#values.get(lookup);
    if (own?.has(key) === true) return own.get(key) as Value | undefined;
    if (!this.#readings.has(lookup, key)) throw new Missing(lookup, [key]);
    return this.#readings.get(lookup, key) as Value | undefined;
  }

  /** Reading it misses nothing. */
  knows(lookup: Lookup<unknown>, key: string): boolean {
    return this.#values.get(lookup)?.has(key) === true || this.#readings.has(lookup, key);
  }

  /** Only what was assumed: nothing is read for it. */
  peek<Value>(lookup: Lookup<Value>, key: string): Value | undefined {
    return this.#values.get(lookup)?.get(key) as Value | undefined;
  }

  /** Those that there are. All that is missing is missed at once. */
  readAll<Value>(lookup: Lookup<Value>, keys: readonly string[]): Value[] {
    const missing = keys.filter((key) => !this.knows(lookup, key));
    if (missing.length > 0) throw new Missing(lookup, missing);
    return keys.flatMap((key) => this.read(lookup, key) ?? []);
  }

  /** From now on this is what reading gives. */
  assume<Value>(lookup: Lookup<Value>, key: string, value: Value | undefined): void {
    const own = this.#values.get(lookup) ?? new Map<string, unknown>();
    this.#values.set(lookup, own);
    this.#put(own, key, value);
  }

  /** All that was assumed of a lookup. */
  assumed<Value>(lookup: Lookup<Value>): ReadonlyMap<string, Value | undefined> {
    return (this.#values.get(lookup) ?? new Map()) as ReadonlyMap<string, Value | undefined>;
  }

  /** A row to write; of rows under one key the last is written. */
  write(statement: SetStatement, row: Row, key = String(this.#count++)): void {
    const rows = this.#rows.get(statement) ?? new Map<string, Row>();
    this.#rows.set(statement, rows);
    this.#put(rows, key, row);
  }

  hint(hint: Hint): void {
    this.#hints.push(hint);
    this.#undo.push(() => this.#hints.pop());
  }

  /** Called once it is committed. */
  whenCommitted(call: () => void): void {
    this.#commits.push(call);
    this.#undo.push(() => this.#commits.pop());
  }

  /** Takes back what `decide` has done if it throws. */
  attempt<T>(decide: () => T): T {
    const before = this.#undo.length;
    try {
      return decide();
    } catch (error) {
      while (this.#undo.length > before) this.#undo.pop()?.();
      throw error;
    }
  }

  get hints(): readonly Hint[] {
    return this.#hints;
  }

  /** The statements to send, with one array for each column. */
  statements(): { sql: string; values: SqlValue[] }[] {
    return [...this.#rows]
      .filter(([, rows]) => rows.size > 0)
      .toSorted(([a], [b]) => a.order - b.order)
      .map(([{ sql }, rows]) => ({ sql, values: toColumns([...rows.values()]) }));
  }

  committed(): void {
    for (const call of this.#commits) call();
  }

  #put<Value>(map: Map<string, Value>, key: string, value: Value): void {
    const had = map.has(key);
    const before = map.get(key);
    map.set(key, value);
    this.#undo.push(() => (had ? map.set(key, before as Value) : map.delete(key)));
  }
}

function toColumns(rows: readonly Row[]): SqlValue[] {
  return (rows[0] ?? []).map((_value, column) => rows.map((row) => row[column] ?? null));
}
