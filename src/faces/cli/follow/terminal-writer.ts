import type { OutputPiece } from "./follow-output.ts";
import type { LiveLine } from "./live-line.ts";
import type { OutputWriter, Screen } from "../show/screen.ts";
import { countText } from "../../../text/count-text.ts";

const newline = 0x0a;

/** Where a job's output, notes about it and the live line share a terminal without writing over each other. */
export class TerminalWriter {
  readonly #screen: Screen;
  readonly #write: OutputWriter;
  readonly #line: LiveLine;
  /** The last line on the terminal is unfinished, such as a prompt: the live line would write over it. */
  #isInLine = false;
  #lastWriteAt = performance.now();
  #isHeld = false;

  constructor(screen: Screen, line: LiveLine, kind: string) {
    this.#screen = screen;
    this.#write = screen.writer(kind);
    this.#line = line;
  }

  /** Whether there is a live line. */
  get isOn(): boolean {
    return this.#line.isOn;
  }

  async write({ stream, bytes, missing }: OutputPiece): Promise<void> {
    this.#line.clear();
    if (missing > 0) this.note(`… ${countText(missing, "byte")} of ${stream} dropped here …`);
    const { terminal } = this.#screen;
    const target = stream === "stderr" ? "stderr" : "stdout";
    const isSeen = (target === "stdout" ? terminal.out : terminal.err).isTerminal;
    if (isSeen) {
      this.#isInLine = bytes.at(-1) !== newline;
      this.#lastWriteAt = performance.now();
    }
    await this.#write(target, bytes);
  }

  /** A line of our own, on a line of its own. */
  note(text: string): void {
    this.#line.clear();
    this.#screen.note(this.#isInLine ? `\n${text}` : text);
    this.#isInLine = false;
  }

  /** Shows the text in the live line while the job is silent. */
  show(text: string, paint: (text: string) => string): void {
    const isSilent = performance.now() - this.#lastWriteAt > 800;
    if (isSilent && !this.#isInLine && !this.#isHeld) this.#line.show(text, paint);
  }

  /** Leaves the terminal to whoever asks something there; answers how to have it back. */
  hold(): () => void {
    this.clear();
    this.#isHeld = true;
    return () => {
      this.#isHeld = false;
    };
  }

  clear(): void {
    this.#line.clear();
  }
}
