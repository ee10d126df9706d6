import { toStorageError } from "./storage-error.ts";
import type { Connection } from "./driver.ts";

interface Operation {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface GroupCommitEvents {
  /** Called before a commit and before it is told; throws when what is committed would not last. */
  readonly ensureDurable: () => void;
  /** Called at the end of each transaction, to write what all of its operations came to. */
  readonly beforeCommit: () => void;
  readonly onCommit: () => void;
  /** Called before an operation that may fail by itself; returns how to forget what it left in memory. */
  readonly savepoint: () => () => void;
}

type Result = { readonly value: unknown } | { readonly error: unknown };

/** From here on waiting for more would be felt. */
const maxGatherMs = 25;
/** So many turns without a write end the gathering: a request takes more than one from its connection to its write. */
const quietTurns = 2;

/**
 * All writes of one turn of the event loop in one transaction: one sync to disk serves them all, and no promise
 * resolves before it. While turn after turn brings more they are gathered, for no longer than a sync takes: Node accepts
 * one connection per turn, so requests that come at once would otherwise each wait for a sync of its own. Operations must be free of side effects outside the database, because a turn in which one of
 * them fails is rolled back and run again with a savepoint around each.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #events: GroupCommitEvents;
  #queue: Operation[] = [];
  #last: Operation[] = [];
  #timer: NodeJS.Immediate | undefined;
  /** How long the last transaction took. */
  #commitMs = 0;

  constructor(connection: Connection, events: GroupCommitEvents) {
    this.#connection = connection;
    this.#events = events;
  }

  write<T>(run: () => T): Promise<T> {
    return this.#enqueue(this.#queue, run);
  }

  /** Runs after the other writes of this turn, and so sees them all. */
  writeLast<T>(run: () => T): Promise<T> {
    return this.#enqueue(this.#last, run);
  }

  #enqueue<T>(queue: Operation[], run: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ run, resolve: resolve as (value: unknown) => void, reject });
      if (this.#timer === undefined) this.#gather(performance.now() + Math.min(this.#commitMs, maxGatherMs));
    });
  }

  #gather(until: number, known = 0, quiet = 0): void {
    this.#timer = setImmediate(() => {
      const count = this.#queue.length + this.#last.length;
      const quietNow = count > known ? 0 : quiet + 1;
      if (quietNow < quietTurns && performance.now() < until) this.#gather(until, count, quietNow);
      else this.flush();
    });
  }

  /** Commits what is queued, at once. */
  flush(): void {
    if (this.#timer !== undefined) clearImmediate(this.#timer);
    this.#timer = undefined;
    const operations = [...this.#queue, ...this.#last];
    if (operations.length === 0) return;
    this.#queue = [];
    this.#last = [];
    let results: Result[];
    try {
      this.#events.ensureDurable();
      results = this.#runAll(operations);
      this.#events.ensureDurable();
    } catch (error) {
      const failure = toStorageError(error);
      for (const operation of operations) operation.reject(failure);
      return;
    }
    operations.forEach((operation, index) => {
      const result = results[index];
      if (result !== undefined && "error" in result) operation.reject(toStorageError(result.error));
      else operation.resolve(result?.value);
    });
    this.#events.onCommit();
  }

  #runAll(operations: readonly Operation[]): Result[] {
    try {
      return this.#transaction(() => operations.map((operation) => ({ value: operation.run() })));
    } catch {
      return this.#transaction(() => operations.map((operation) => this.#runGuarded(operation)));
    }
  }

  #runGuarded(operation: Operation): Result {
    const forget = this.#events.savepoint();
    this.#connection.exec("SAVEPOINT operation");
    try {
      const value = operation.run();
      this.#connection.exec("RELEASE operation");
      return { value };
    } catch (error) {
      forget();
      this.#rollbackOperation(error);
      return { error };
    }
  }

  /** Fails when SQLite has rolled back the whole transaction by itself (a full disk): then all of it has failed. */
  #rollbackOperation(cause: unknown): void {
    try {
      this.#connection.exec("ROLLBACK TO operation; RELEASE operation");
    } catch {
      throw cause;
    }
  }

  #transaction<T>(body: () => T): T {
    const startedAt = performance.now();
    const forget = this.#events.savepoint();
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      const value = body();
      this.#events.beforeCommit();
      this.#connection.exec("COMMIT");
      this.#commitMs = performance.now() - startedAt;
      return value;
    } catch (error) {
      forget();
      this.#rollback();
      throw error;
    }
  }

  #rollback(): void {
    try {
      this.#connection.exec("ROLLBACK");
    } catch {
      // SQLite rolled back by itself; the error that made it do so is the one to tell.
    }
  }
}
