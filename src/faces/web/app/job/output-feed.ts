import { signal } from "@preact/signals";
import { OutputLines } from "./lines.ts";

export interface OutputPart {
  readonly attempt: number;
  readonly from: number;
  readonly next: number;
  readonly dropped: number;
  readonly text: string;
}

export interface OutputChoice {
  readonly stream: string;
  /** The current one, and those that follow it, unless given. */
  readonly attempt?: number;
}

/** A job's output as it arrives, drawn once a frame however much comes. */
export class OutputFeed {
  readonly lines = signal(new OutputLines());
  /** Rises when there is something to draw anew. */
  readonly drawn = signal(0);
  #attempt = 0;
  #next = 0;
  #frame = 0;

  clear(): void {
    this.lines.value = new OutputLines();
    this.#attempt = 0;
    this.#next = 0;
  }

  take(part: OutputPart): void {
    const lines = this.lines.peek();
    // Parts may come twice, where a connection broke.
    if (part.attempt < this.#attempt || (part.attempt === this.#attempt && part.next <= this.#next)) return;
    if (this.#attempt !== 0 && part.attempt !== this.#attempt) lines.add(`\n── attempt ${part.attempt} ──\n`);
    this.#attempt = part.attempt;
    this.#next = part.next;
    lines.dropped = part.dropped;
    lines.add(part.text);
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.drawn.value = this.drawn.peek() + 1;
    });
  }
}
