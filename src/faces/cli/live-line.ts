import { truncate } from "./text-width.ts";

const clearLine = "\r\u001b[2K";
const hideCursor = "\u001b[?25l";
const showCursor = "\u001b[?25h";

/** One line at the bottom of the terminal that changes in place; nothing at all where there is no terminal. */
export class LiveLine {
  readonly #isOn: boolean;
  readonly #columns: () => number;
  #isShown = false;

  constructor(isOn: boolean, columns: () => number | undefined) {
    this.#isOn = isOn;
    this.#columns = () => columns() ?? 80;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** The text must be free of control characters and colours. `paint` may colour what is left after cutting. */
  show(text: string, paint: (text: string) => string = (same) => same): void {
    if (!this.#isOn) return;
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
