import { displayWidth, padEnd, truncate } from "./text-width.ts";

export interface Column<Row> {
  readonly title: string;
  /** Without colours and control characters. */
  readonly text: (row: Row) => string;
  readonly paint?: (row: Row, padded: string) => string;
}

interface TableOptions {
  /** Undefined cuts nothing. */
  readonly width: number | undefined;
  readonly paintTitle: (text: string) => string;
}

const gap = "  ";
const narrowest = 12;

/** Columns as wide as their contents; the last one gets what is left of the line. Columns without contents are left out. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], options: TableOptions): string {
  const shown = columns
    .map((column) => ({ column, cells: rows.map(column.text) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const widths = fitWidths(
    shown.map(({ column, cells }) => Math.max(displayWidth(column.title), ...cells.map(displayWidth))),
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
