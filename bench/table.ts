/** Aligned columns: the first to the left, the others to the right. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const formatRow = (cells: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? "";
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const line = widths.map((width) => "-".repeat(width)).join("  ");
  return [formatRow(heads), line, ...rows.map(formatRow)].join("\n");
}
