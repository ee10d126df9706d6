import type { Session } from "../postgres/database/connections.ts";
import { inSchema } from "../postgres/database/migrate.ts";
import type { Connection } from "../sqlite/driver.ts";
import { RowDigest, type Digest } from "./digest.ts";
import type { Move } from "./moves.ts";

type Row = Record<string, unknown>;

export interface MoveParts {
  readonly source: Connection;
  readonly target: Session;
  readonly schema: string;
  /** What has started commands that still run is this machine from now on. */
  readonly machine: string;
}

const maxRows = 500;
const maxCharacters = 4_000_000;

/** Writes the rows of one table; says what they were. */
export async function moveRows(move: Move, parts: MoveParts, onRows: (count: number) => void): Promise<Digest> {
  const digest = new RowDigest();
  let rows: Row[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    if (rows.length > 0) await insert(move, rows, parts);
    onRows(digest.value.count);
    rows = [];
    characters = 0;
  };
  for (const row of readRows(move, parts)) {
    digest.add(Object.values(row));
    rows.push(row);
    characters += Object.values(row).reduce<number>(
      (sum, value) => sum + (typeof value === "string" ? value.length : 8),
      0,
    );
    if (rows.length >= maxRows || characters >= maxCharacters) await flush();
  }
  await flush();
  return digest.value;
}

function* readRows(
  { from, source: rows = from, to, columns, join = "", booleans = [] }: Move,
  { source, machine }: MoveParts,
): Generator<Row> {
  const selected = Object.entries(columns).map(([name, expression]) => `${expression} AS "${name}"`);
  const statement = source.prepare(`SELECT ${selected.join(", ")} FROM ${rows} t ${join}`);
  for (const read of statement.iterate() as IterableIterator<Row>) {
    const row = Object.fromEntries(Object.keys(columns).map((name) => [name, read[name] ?? null]));
    for (const name of booleans) row[name] = row[name] === 1;
    yield to === "states" ? atMachine(row, machine) : row;
  }
}

function atMachine(row: Row, machine: string): Row {
  const state = JSON.parse(String(row["state"])) as { lease?: object };
  if (state.lease === undefined) return row;
  return { ...row, machine, state: JSON.stringify({ ...state, lease: { ...state.lease, machine } }) };
}

async function insert({ to, columns }: Move, rows: readonly Row[], { target, schema }: MoveParts): Promise<void> {
  const names = Object.keys(columns).join(", ");
  const sql = `INSERT INTO longhaul.${to} (${names}) SELECT ${names} FROM json_populate_recordset(null::longhaul.${to}, $1::json)`;
  await target.query(inSchema(sql, schema), [JSON.stringify(rows)]);
}

/** What is there now, as it was read from there. */
export async function digestTarget({ to, columns }: Move, { target, schema }: MoveParts): Promise<Digest> {
  const names = Object.keys(columns);
  const digest = new RowDigest();
  await target.query(
    inSchema(`DECLARE moved NO SCROLL CURSOR FOR SELECT ${names.join(", ")} FROM longhaul.${to}`, schema),
  );
  for (;;) {
    const rows = await target.query<Row>(`FETCH ${maxRows} FROM moved`);
    for (const row of rows) digest.add(names.map((name) => row[name]));
    if (rows.length < maxRows) break;
  }
  await target.query("CLOSE moved");
  return digest.value;
}
