import { randomUUID } from "node:crypto";
import { sendPiece, type Target } from "../follow/piped-input.ts";

/** Ctrl-\ */
const leaveKey = 0x1c;
const heldMs = 500;

export const leaveKeys = "Ctrl-\\ twice";

/** Passes on what is typed, each key once, in its order, and sees when somebody wants to leave. */
export class Keyboard {
  readonly #target: Target;
  readonly #onLeave: () => void;
  readonly #sender = randomUUID();
  #offset = 0;
  #waiting: Buffer[] = [];
  #isSending = false;
  #held: NodeJS.Timeout | undefined;

  constructor(target: Target, onLeave: () => void) {
    this.#target = target;
    this.#onLeave = onLeave;
  }

  /** The first of the keys that mean to leave is held for a moment: alone it is meant for the program. */
  type(bytes: Buffer): void {
    let rest = bytes;
    if (this.#held !== undefined) {
      this.#release();
      if (rest[0] === leaveKey) return this.#onLeave();
      this.#pass(Buffer.of(leaveKey));
    }
    if (rest.includes(Buffer.of(leaveKey, leaveKey))) return this.#onLeave();
    if (rest.at(-1) === leaveKey) {
      rest = rest.subarray(0, -1);
      this.#held = setTimeout(() => {
        this.#release();
        this.#pass(Buffer.of(leaveKey));
      }, heldMs);
    }
    this.#pass(rest);
  }

  close(): void {
    this.#release();
    this.#waiting = [];
  }

  #release(): void {
    clearTimeout(this.#held);
    this.#held = undefined;
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.#waiting.push(bytes);
    if (this.#isSending) return;
    this.#isSending = true;
    // What goes wrong ends the following of the output too, which tells it.
    void this.#sendAll()
      .catch(() => undefined)
      .finally(() => {
        this.#isSending = false;
      });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const bytes = Buffer.concat(this.#waiting).subarray(0, maxBytes);
      this.#waiting = [Buffer.concat(this.#waiting).subarray(maxBytes)].filter(({ length }) => length > 0);
      const piece = { text: bytes.toString("base64"), sender: this.#sender, offset: this.#offset };
      const sent = await sendPiece(piece, this.#target);
      if (sent === undefined) return;
      this.#offset += sent;
      if (sent < bytes.length) this.#waiting.unshift(bytes.subarray(sent));
    }
  }
}

const maxBytes = 500_000;
