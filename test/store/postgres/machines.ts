import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdSource, type JobId } from "../../../src/job/id.ts";
import type { HeldOutput, OutputAddress, OutputStore } from "../../../src/store/output-store.ts";
import { openConnections, type Connections } from "../../../src/store/postgres/database/connections.ts";
import { createPostgresOutput, type PostgresOutputOptions } from "../../../src/store/postgres/output/output-store.ts";
import { outputTables } from "../../../src/store/postgres/output/schema.ts";
import type { Hint } from "../../../src/store/store.ts";
import { createDatabase, type Database } from "../../postgres/database.ts";

type Options = Partial<Pick<PostgresOutputOptions, "capBytes" | "bytesPerSecond" | "maxWholeBytes">>;
type Output = ReturnType<typeof createPostgresOutput>;

/** A process that writes or reads output. */
export interface Machine {
  readonly output: Output;
  readonly root: string;
  /** What its readers are told. */
  readonly hints: Hint[];
  /** Makes its database fail for a while. */
  failures: number;
}

/** Several machines that share a database. */
export class Machines {
  readonly connections: Connections;
  readonly #database: Database;
  readonly #folder: string;
  readonly #listeners = new Map<string, (hint: Hint) => void>();
  readonly #outputs = new Set<Output>();
  readonly #newId = createIdSource(() => Date.now());

  private constructor(database: Database, connections: Connections, folder: string) {
    this.#database = database;
    this.connections = connections;
    this.#folder = folder;
  }

  static async open(): Promise<Machines> {
    const database = await createDatabase();
    await database.run(
      `CREATE SCHEMA longhaul; CREATE TABLE longhaul.states (id UUID PRIMARY KEY, fence BIGINT, status TEXT);`,
    );
    await database.run(outputTables);
    const connections = await openConnections({ url: database.url, schema: "longhaul", size: 4 });
    return new Machines(database, connections, await mkdtemp(join(tmpdir(), "longhaul-spools-")));
  }

  /** Starts a machine, or its process anew on the spool that it had. */
  start(name: string, options: Options = {}): Machine {
    const root = join(this.#folder, name);
    const hints: Hint[] = [];
    const listeners = new Set<(hint: Hint) => void>([(hint) => hints.push(hint)]);
    const publish = (hint: Hint): void => listeners.forEach((listener) => listener(hint));
    const process = `${name} ${randomUUID()}`;
    this.#listeners.set(process, publish);
    const machine = { root, hints, failures: 0 };
    const query: Connections["query"] = (sql, values) => {
      if (machine.failures-- > 0) return Promise.reject(new Error("Postgres is away"));
      machine.failures = 0;
      return this.connections.query(sql, values);
    };
    const output = createPostgresOutput({
      connections: { ...this.connections, query },
      root,
      publish: (shown) => shown.forEach(publish),
      announce: (hint) => {
        for (const [each, tell] of this.#listeners) if (each !== process) tell(hint);
      },
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      ...options,
    });
    this.#outputs.add(output);
    return Object.assign(machine, { output });
  }

  /** A job that runs, with the lease of its worker. */
  async hold(): Promise<HeldOutput & { readonly id: JobId; readonly address: OutputAddress }> {
    const id = this.#newId();
    await this.#database.run("INSERT INTO longhaul.states VALUES ($1, 1, 'running')", [id]);
    const address = { id, attempt: 1, stream: "stdout" };
    return { id, lease: { id, worker: "w1", fence: 1 }, attempt: 1, isResumed: false, address };
  }

  /** The job goes on under another lease. */
  async takeOver(held: HeldOutput): Promise<HeldOutput> {
    const { id, worker, fence } = held.lease;
    await this.#database.run("UPDATE longhaul.states SET fence = $2 WHERE id = $1", [id, fence + 1]);
    return { ...held, lease: { id, worker, fence: fence + 1 }, isResumed: true };
  }

  async end(held: HeldOutput): Promise<void> {
    await this.#database.run("UPDATE longhaul.states SET status = 'succeeded' WHERE id = $1", [held.lease.id]);
  }

  run(sql: string): Promise<unknown[]> {
    return this.#database.run(sql);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#outputs].map((output) => output.close()));
    await this.connections.close();
    await this.#database.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export function append(output: OutputStore, address: OutputAddress, text: string | Uint8Array): void {
  const writer = output.writer(address);
  writer.append(Buffer.from(text));
  writer.close();
}

export interface Stretch {
  readonly from: number;
  readonly text: string;
}

/** All that a reader gets; stretches that touch are joined. */
export async function readAll(output: OutputStore, address: OutputAddress): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  for (let at = 0; ;) {
    const slice = await output.read(address, at, 100_000);
    if (slice.bytes.length === 0) return stretches;
    const text = Buffer.from(slice.bytes).toString("latin1");
    const last = stretches.at(-1);
    if (last !== undefined && last.from + last.text.length === slice.from) {
      stretches[stretches.length - 1] = { from: last.from, text: last.text + text };
    } else stretches.push({ from: slice.from, text });
    at = slice.next;
  }
}
