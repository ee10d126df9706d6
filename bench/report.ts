import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatTable } from "./table.ts";

/** What the ratio of ours to the peer's must be. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** A measured figure; its name says what was measured, in which unit and against whom. */
export interface Row {
  readonly figure: string;
  readonly ours: number;
  readonly peer?: number;
  readonly goal?: Goal;
}

export type Conditions = Readonly<Record<string, string | number>>;

export interface Report {
  /** The NAME of `npm run bench:NAME`. */
  readonly name: string;
  readonly conditions: Conditions;
  readonly rows: readonly Row[];
}

/** A row as it stands in bench/results/NAME.json; null where there is nothing to compare with or to reach. */
interface Figure {
  readonly figure: string;
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: number | null;
  readonly goal: string | null;
  readonly reached: boolean | null;
}

/** Prints the table and writes bench/results/NAME.json. Returns the exit code: 1 when a goal is not reached. */
export async function publishReport({ name, conditions, rows }: Report): Promise<number> {
  const figures = rows.map(toFigure);
  console.log(formatTable(["figure", "ours", "peer", "ratio", "goal", "reached"], figures.map(toCells)));
  const folder = join("bench", "results");
  await mkdir(folder, { recursive: true });
  const content = { benchmark: name, date: new Date().toISOString(), conditions, figures };
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
  return figures.some(({ reached }) => reached === false) ? 1 : 0;
}

function toFigure({ figure, ours, peer, goal }: Row): Figure {
  if (peer === undefined) {
    if (goal !== undefined) throw new Error(`"${figure}" has a goal but no peer to reach it against.`);
    return { figure, ours: round(ours), peer: null, ratio: null, goal: null, reached: null };
  }
  const ratio = ours / peer;
  const compared = { figure, ours: round(ours), peer: round(peer), ratio: round(ratio) };
  if (goal === undefined) return { ...compared, goal: null, reached: null };
  // Held against the exact ratio: a miss is not rounded into a hit.
  return { ...compared, goal: describeGoal(goal), reached: isReached(ratio, goal) };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

function describeGoal(goal: Goal): string {
  return "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

function isReached(ratio: number, goal: Goal): boolean {
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

function toCells({ figure, ours, peer, ratio, goal, reached }: Figure): string[] {
  return [
    figure,
    formatNumber(ours),
    peer === null ? "" : formatNumber(peer),
    ratio === null ? "" : ratio.toFixed(3),
    goal ?? "",
    reached === null ? "" : reached ? "yes" : "NO",
  ];
}

function formatNumber(value: number): string {
  return value.toLocaleString("en-US", value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}
