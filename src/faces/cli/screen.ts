import type { Terminal } from "../../config/terminal.ts";
import { createStyle, type Style } from "./style.ts";

/** Where a command writes: its answer to stdout, everything about it to stderr. */
export interface Screen {
  readonly terminal: Terminal;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly noteStyle: Style;
  /** A line, or several, of the answer. */
  readonly print: (text: string) => void;
  /** One JSON document. */
  readonly printJson: (value: unknown) => void;
  /** One JSON document on one line, for answers that go on. */
  readonly printJsonLine: (value: unknown) => void;
  /** A line for whoever looks on. */
  readonly note: (text: string) => void;
  /** Bytes as they are; resolves when there is room for more, so that a slow reader is not outrun. */
  readonly write: (stream: "stdout" | "stderr", bytes: Uint8Array) => Promise<void>;
}

export function createScreen(terminal: Terminal): Screen {
  return {
    terminal,
    style: createStyle(terminal.out.hasColor),
    noteStyle: createStyle(terminal.err.hasColor),
    print,
    printJson: (value) => print(JSON.stringify(value, null, 2)),
    printJsonLine: (value) => print(JSON.stringify(value)),
    note: (text) => {
      process.stderr.write(`${text}\n`);
    },
    write: (stream, bytes) =>
      new Promise((resolve) => {
        const target = stream === "stdout" ? process.stdout : process.stderr;
        if (target.write(bytes)) resolve();
        else target.once("drain", resolve);
      }),
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
