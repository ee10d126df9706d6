import type { Terminal } from "../../../config/terminal.ts";
import { escapeJsonControls, escapeTextControls } from "../../../text/controls.ts";
import { createStyle, type Style } from "./style.ts";

/**
 * Where a command writes: its answer to stdout, everything about it to stderr. The only way to the terminal: whatever text others wrote
 * gets there without control characters, but for the output of a command, which is passed on as if it ran here.
 */
export interface Screen {
  readonly terminal: Terminal;
  /** For stdout. */
  readonly style: Style;
  /** For stderr. */
  readonly noteStyle: Style;
  /** A line, or several, of the answer. */
  readonly print: (text: string) => void;
  /** Text that is data, such as a page: changed only where a terminal would obey it. */
  readonly printData: (text: string) => void;
  /** One JSON document. */
  readonly printJson: (value: unknown) => void;
  /** One JSON document on one line, for answers that go on. */
  readonly printJsonLine: (value: unknown) => void;
  /** A line for whoever looks on. */
  readonly note: (text: string) => void;
  /** For the output of jobs of a kind. */
  readonly writer: (kind: string) => OutputWriter;
}

/** Resolves when there is room for more, so that a slow reader is not outrun. */
export type OutputWriter = (stream: "stdout" | "stderr", bytes: Uint8Array) => Promise<void>;

export function createScreen(terminal: Terminal): Screen {
  return {
    terminal,
    style: createStyle(terminal.out.hasColor),
    noteStyle: createStyle(terminal.err.hasColor),
    print,
    printData: (text) => {
      if (process.stdout.isTTY) print(text);
      else process.stdout.write(`${text}\n`);
    },
    printJson: (value) => process.stdout.write(`${escapeJsonControls(JSON.stringify(value, null, 2))}\n`),
    printJsonLine: (value) => process.stdout.write(`${escapeJsonControls(JSON.stringify(value))}\n`),
    note: (text) => {
      process.stderr.write(`${escapeTextControls(text)}\n`);
    },
    writer: (kind) => (kind === "shell" ? write : createCleanWriter()),
  };
}

function print(text: string): void {
  process.stdout.write(`${escapeTextControls(text)}\n`);
}

function write(stream: "stdout" | "stderr", bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (process[stream].write(bytes)) resolve();
    else process[stream].once("drain", resolve);
  });
}

/** Characters that were cut in two by the end of a piece are put together again. */
function createCleanWriter(): OutputWriter {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return async (stream, bytes) => {
    if (!process[stream].isTTY) return write(stream, bytes);
    const text = decoders[stream].decode(bytes, { stream: true });
    return write(stream, Buffer.from(escapeTextControls(text.replaceAll("\r\n", "\n"))));
  };
}
