import { displayWidth, padEnd, truncate } from "./text-width.ts";

export interface Column<Row> {
  readonly title: string;
  /** Without colours and control characters. */
  readonly text: (row: Row) => string;
  readonly paint?: (row: Row, padded: string) => string;
  /** Where the line is too narrow for all, columns are left out: the lowest first. One without it stays. */
  readonly leaveOut?: number;
}

interface TableOptions {
  /** Undefined cuts nothing. */
  readonly width: number | undefined;
  readonly paintTitle: (text: string) => string;
}

const gap = "  ";
const narrowest = 12;
/** So much of the last column is worth more than the columns before it. */
const enoughOfLast = 24;

/** Columns as wide as their contents; the last one gets what is left of the line. Columns without contents are left out. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], options: TableOptions): string {
  const filled = columns
    .map((column) => measure(column, rows))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const shown = leaveOut(filled, options.width ?? Infinity);
  const widths = fitWidths(
    shown.map(({ width }) => width),
    options.width,
  );
  const format = (texts: readonly string[], paint: (text: string, index: number) => string): string =>
    texts
      .map((text, index) => {
        const isLast = index === texts.length - 1;
        const cut = truncate(text, widths[index] ?? 0);
        return paint(isLast ? cut : padEnd(cut, widths[index] ?? 0), index);
      })
      .join(gap);
  const header = format(
    shown.map(({ column }) => column.title),
    options.paintTitle,
  );
  const lines = rows.map((row, rowIndex) =>
    format(
      shown.map(({ cells }) => cells[rowIndex] ?? ""),
      (text, index) => shown[index]?.column.paint?.(row, text) ?? text,
    ),
  );
  return [header, ...lines].join("\n");
}

interface Measured<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly width: number;
}

function measure<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const cells = rows.map(column.text);
  return { column, cells, width: Math.max(displayWidth(column.title), ...cells.map(displayWidth)) };
}

function leaveOut<Row>(all: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  const needed = all.reduce((sum, each) => sum + each.width + gap.length, 0) - gap.length;
  const last = all.at(-1)?.width ?? 0;
  if (needed - Math.max(0, last - enoughOfLast) <= width) return all;
  const [least] = all.flatMap(({ column }) => column.leaveOut ?? []).toSorted((one, other) => one - other);
  if (least === undefined) return all;
  return leaveOut(
    all.filter(({ column }) => column.leaveOut !== least),
    width,
  );
}

/** Takes what is too much from the last column first, then from the widest. */
function fitWidths(natural: readonly number[], width: number | undefined): number[] {
  const widths = [...natural];
  if (width === undefined) return widths;
  const total = (): number => widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1);
  const last = widths.length - 1;
  if (last >= 0) widths[last] = Math.max(narrowest, (widths[last] ?? 0) - Math.max(0, total() - width));
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= narrowest) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
