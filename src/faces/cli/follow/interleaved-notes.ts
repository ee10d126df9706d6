import type { OutputPiece } from "./follow-output.ts";
import type { TerminalWriter } from "./terminal-writer.ts";

export interface Note {
  readonly text: string;
  /** How many bytes of the stream were written before it. */
  readonly after: number;
}

/** Puts notes where they belong in a stream, though both come by ways of their own. */
export class InterleavedNotes {
  readonly #place: TerminalWriter;
  #waiting: Note[] = [];
  #shownBytes = 0;

  constructor(place: TerminalWriter) {
    this.#place = place;
  }

  add(note: Note): void {
    this.#waiting.push(note);
    this.#tell(this.#shownBytes);
  }

  async write(piece: OutputPiece): Promise<void> {
    let { from, missing } = piece;
    const writeTo = async (next: number): Promise<void> => {
      const bytes = piece.bytes.subarray(from - piece.from, next - piece.from);
      if (next > from) await this.#place.write({ ...piece, bytes, from, next, missing });
      if (next > from) [from, missing] = [next, 0];
    };
    for (const { after } of this.#waiting.filter((note) => note.after < piece.next)) {
      await writeTo(after);
      this.#tell(after);
    }
    await writeTo(piece.next);
    this.#shownBytes = piece.next;
    this.#tell(piece.next);
  }

  /** Nothing more comes of the stream. */
  end(): void {
    this.#tell(Infinity);
  }

  #tell(shownBytes: number): void {
    for (const { text } of this.#waiting.filter(({ after }) => after <= shownBytes)) this.#place.note(text);
    this.#waiting = this.#waiting.filter(({ after }) => after > shownBytes);
  }
}
