import { setTimeout as delay } from "node:timers/promises";
import { truncate } from "../show/text-width.ts";

const clearLine = "\r\u001b[2K";
const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";
const lookMs = 1_000;

/** One line at the bottom of the terminal that changes in place; nothing at all where there is no terminal. */
export class LiveLine {
  readonly isOn: boolean;
  readonly #columns: () => number;
  #isShown = false;

  constructor(isOn: boolean, columns: () => number | undefined) {
    this.isOn = isOn;
    this.#columns = () => columns() ?? 80;
  }

  /** The text must be free of control characters and colours. `paint` may colour what is left after cutting. */
  show(text: string, paint: (text: string) => string = (same) => same): void {
    if (!this.isOn) return;
    this.#isShown = true;
    process.stderr.write(hideCursor + clearLine + paint(truncate(text, this.#columns() - 1)));
  }

  /** To be called before anything else is written to the terminal, and at the end. */
  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    process.stderr.write(clearLine + showCursor);
  }
}

/** Looks again and again, and shows what there is to say, until told to stop. What goes wrong ends it quietly: it only shows. */
export function keepShowing(
  line: Pick<LiveLine, "isOn" | "show" | "clear">,
  paint: (text: string) => string,
  look: (signal: AbortSignal) => Promise<string>,
): () => void {
  if (!line.isOn) return () => undefined;
  const controller = new AbortController();
  const { signal } = controller;
  const repeat = async (): Promise<void> => {
    while (!signal.aborted) {
      await delay(lookMs, undefined, { signal });
      const text = await look(signal);
      if (!signal.aborted) line.show(text, paint);
    }
  };
  repeat().catch(() => undefined);
  return () => {
    controller.abort();
    line.clear();
  };
}
