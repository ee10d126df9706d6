interface RawTerminalParts {
  readonly onKeys: (bytes: Buffer) => void;
  readonly onResize: () => void;
  /** Somebody ends this program by a signal. */
  readonly onSignal: () => void;
  /** What to write to have the terminal as it was. */
  readonly leave: () => string;
}

interface RawTerminal {
  /** Resolves when there is room for more. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly close: () => void;
}

export function windowSize(): { columns: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}

const newline = 0x0a;
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Every key comes as it is, Ctrl-C too. However this program ends, but by kill -9, the terminal is as it was. */
export function openRawTerminal({ onKeys, onResize, onSignal, leave }: RawTerminalParts): RawTerminal {
  const { stdin, stdout } = process;
  let isOpen = true;
  let isInLine = false;
  const restore = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stdin.setRawMode(false);
    stdout.write(leave() + (isInLine ? "\r\n" : ""));
  };
  stdin.setRawMode(true);
  stdin.on("data", onKeys);
  stdout.on("resize", onResize);
  process.on("exit", restore);
  for (const signal of endingSignals) process.once(signal, onSignal);
  return {
    write: (bytes) =>
      new Promise((resolve) => {
        if (bytes.length > 0) isInLine = bytes.at(-1) !== newline;
        if (!isOpen || stdout.write(bytes)) resolve();
        else stdout.once("drain", resolve);
      }),
    close: () => {
      restore();
      stdin.off("data", onKeys);
      stdin.pause();
      stdin.unref();
      stdout.off("resize", onResize);
      process.off("exit", restore);
      for (const signal of endingSignals) process.off(signal, onSignal);
    },
  };
}
