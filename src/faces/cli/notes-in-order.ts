import type { OutputPiece } from "./follow-output.ts";
import type { OutputPlace } from "./output-place.ts";

export interface Note {
  readonly text: string;
  /** How many bytes of the stream were written before it. */
  readonly after: number;
}

/** Puts notes where they belong in a stream, though both come by ways of their own. */
export class NotesInOrder {
  readonly #place: OutputPlace;
  #waiting: Note[] = [];
  #shownBytes = 0;

  constructor(place: OutputPlace) {
    this.#place = place;
  }

  add(note: Note): void {
    this.#waiting.push(note);
    this.#tell(this.#shownBytes);
  }

  async write(piece: OutputPiece): Promise<void> {
    let shown = piece;
    for (const { after } of this.#waiting.filter((note) => note.after < piece.next)) {
      const bytes = shown.bytes.subarray(0, Math.max(0, after - shown.from));
      if (bytes.length > 0) await this.#place.write({ ...shown, bytes });
      shown = { ...shown, bytes: shown.bytes.subarray(bytes.length), from: shown.from + bytes.length, missing: 0 };
      this.#tell(after);
    }
    await this.#place.write(shown);
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
