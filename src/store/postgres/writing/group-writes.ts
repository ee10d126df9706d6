import { LonghaulError } from "../../../job/error.ts";
import type { Hint } from "../../store.ts";
import type { Connections, Session } from "../database/connections.ts";
import { codeOf } from "../database/storage-error.ts";
import { Missing, Needs, Readings, Unit } from "./unit.ts";

interface Operation {
  readonly run: (unit: Unit) => unknown;
  readonly needs: Needs;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Result = { readonly value: unknown } | { readonly error: unknown };

/** Runs a decision in the next transaction; resolves once that is committed. `needs` saves a way to the database where it is known before. */
export type Write = <T>(run: (unit: Unit) => T, needs?: Needs) => Promise<T>;

export interface GroupWritesParts {
  readonly connections: Connections;
  /** Completes the decisions of a transaction. */
  readonly finish: (unit: Unit) => void;
  /** Makes what has to be there before the transaction can be written, and stays if it is not. */
  readonly prepare: (unit: Unit) => Promise<void>;
  /** Sends what goes out with the transaction besides the rows. */
  readonly send: (session: Session, unit: Unit) => Promise<readonly Promise<unknown>[]>;
  readonly publish: (hints: readonly Hint[]) => void;
}

/** For this long at most a transaction waits for more to come, while more comes with every turn of the event loop. */
const maxGatherMs = 4;
const quietTurns = 2;
const maxOperations = 500;
const maxTries = 8;

/**
 * All that is written in one turn of the event loop, and while the transaction before is on its way, in one transaction: what it decides
 * on is read at once, and what it writes is sent at once. An operation that is refused takes back only its own.
 */
export class GroupWrites {
  readonly #parts: GroupWritesParts;
  #queue: Operation[] = [];
  #isGathering = false;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #alone = new Set<Promise<unknown>>();

  constructor(parts: GroupWritesParts) {
    this.#parts = parts;
  }

  readonly write: Write = (run, needs = new Needs()) => {
    if (this.#isClosed) return Promise.reject(new LonghaulError("stopped", "The store is closed."));
    return new Promise((resolve, reject) => {
      this.#queue.push({ run, needs, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#isGathering) this.#gather();
    });
  };

  /**
   * A transaction of its own: `begin` reads and locks what nobody knows beforehand. It is begun again where another transaction came in
   * its way.
   */
  readonly transact = <Begun, T>(
    begin: (session: Session) => Promise<{ begun: Begun; needs: Needs }>,
    run: (unit: Unit, begun: Begun) => T,
  ): Promise<T> => {
    if (this.#isClosed) return Promise.reject(new LonghaulError("stopped", "The store is closed."));
    const transacting = this.#retry(async (session) => {
      const { begun, needs } = await begin(session);
      const [result] = await this.#decideAndCommit(session, [(unit) => run(unit, begun)], needs);
      if (result !== undefined && "value" in result) return result.value as T;
      throw result?.error;
    });
    this.#alone.add(transacting);
    return transacting.finally(() => this.#alone.delete(transacting));
  };

  /** What was asked for before is still written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#queue.length > 0 || this.#isGathering) await Promise.all([this.#running, new Promise(setImmediate)]);
    await this.#running;
    await Promise.allSettled(this.#alone);
  }

  #gather(): void {
    this.#isGathering = true;
    this.#running = this.#runNext(this.#running);
  }

  async #runNext(before: Promise<void>): Promise<void> {
    await before;
    await this.#untilQuiet();
    const operations = this.#queue.splice(0, maxOperations);
    this.#isGathering = false;
    if (this.#queue.length > 0) this.#gather();
    if (operations.length > 0) await this.#run(operations);
  }

  async #untilQuiet(): Promise<void> {
    const until = performance.now() + maxGatherMs;
    let [known, quiet] = [0, 0];
    while (quiet < quietTurns && performance.now() < until) {
      await new Promise(setImmediate);
      quiet = this.#queue.length > known ? 0 : quiet + 1;
      known = this.#queue.length;
    }
  }

  async #run(operations: readonly Operation[]): Promise<void> {
    try {
      const results = await this.#runWithRetries(operations);
      for (const [index, operation] of operations.entries()) {
        const result = results[index];
        if (result !== undefined && "error" in result) operation.reject(result.error);
        else operation.resolve(result?.value);
      }
    } catch (error) {
      const [operation] = operations;
      if (operations.length === 1 || isUnavailable(error)) for (const each of operations) each.reject(error);
      // One of them may have brought something that cannot be stored.
      else if (operation !== undefined) for (const each of operations) await this.#run([each]);
    }
  }

  #runWithRetries(operations: readonly Operation[]): Promise<readonly Result[]> {
    const needs = new Needs();
    for (const operation of operations) needs.addAll(operation.needs);
    const runs = operations.map(({ run }) => run);
    return this.#retry((session) => this.#decideAndCommit(session, runs, needs));
  }

  async #retry<T>(transact: (session: Session) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#parts.connections.withSession(async (session) => {
          const [, result] = await Promise.all([session.query("BEGIN"), transact(session)]);
          return result;
        });
      } catch (error) {
        if (tries === maxTries || !isConflict(error)) throw error;
      }
    }
  }

  /** `needs` grows by what turned out to be needed, so that another try locks all of it in order. */
  async #decideAndCommit(
    session: Session,
    runs: readonly ((unit: Unit) => unknown)[],
    needs: Needs,
  ): Promise<readonly Result[]> {
    const readings = new Readings();
    for (;;) {
      await readings.load(session, needs);
      const unit = new Unit(readings);
      const missing = new Needs();
      const results = runs.map((run) => decide(unit, run, missing));
      const finished = decide(unit, this.#parts.finish, missing);
      if (missing.isEmpty) {
        if ("error" in finished) throw finished.error;
        await this.#commit(session, unit);
        return results;
      }
      needs.addAll(missing);
    }
  }

  async #commit(session: Session, unit: Unit): Promise<void> {
    await this.#parts.prepare(unit);
    const sent = unit.statements().map(({ sql, values }) => session.query(sql, values));
    const others = await this.#parts.send(session, unit);
    await allOrFirst([...sent, ...others, session.query("COMMIT")]);
    unit.committed();
    this.#parts.publish(unit.hints);
  }
}

/** All are waited for; the first that failed tells why, because those behind it only say that it did. */
async function allOrFirst(promises: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(promises);
  const failed = settled.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

function decide(unit: Unit, run: (unit: Unit) => unknown, missing: Needs): Result {
  try {
    return { value: unit.attempt(() => run(unit)) };
  } catch (error) {
    if (error instanceof Missing) for (const key of error.keys) missing.add(error.lookup, key);
    return { error };
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof LonghaulError && error.code === "unavailable";
}

/** Two transactions waited for each other, or both made what there may be only one of: what was refused may be tried again. */
function isConflict(error: unknown): boolean {
  const cause = error instanceof LonghaulError ? error.cause : error;
  return ["40P01", "40001", "23505"].includes(codeOf(cause) ?? "");
}
