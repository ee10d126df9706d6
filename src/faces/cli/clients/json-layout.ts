/** How a JSON text is laid out, so that what is added to it looks like the rest. */
export interface JsonLayout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  readonly isOneLine: boolean;
  /** The white space at the beginning of the line that this place is on. */
  readonly indentAt: (offset: number) => string;
}

export function readLayout(text: string): JsonLayout {
  return {
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    unit: /\n([ \t]+)"/.exec(text)?.[1] ?? "  ",
    isOneLine: !text.trim().includes("\n") && !/^\{\s*\}$/.test(text.trim()),
    indentAt: (offset) => /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "",
  };
}

/** The first line stands behind its key; the others are indented. */
export function formatJson(value: unknown, { unit, eol, isOneLine }: JsonLayout, indent: string): string {
  if (isOneLine) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}
