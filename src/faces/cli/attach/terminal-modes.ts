/** What a terminal does unless a program wants it otherwise: shows its cursor, and goes on in the next line. */
const onByDefault: ReadonlySet<number> = new Set([7, 25]);
/** The screen that a full-screen program draws on, beside the one with the lines before it. */
const alternateScreens = [1049, 1047, 47];
const longestSequence = 64;

/**
 * Follows in what a program writes which modes of the terminal it has switched on or off: another screen, mouse, pasting, the cursor. So
 * they can be set on a terminal that has not seen it all, and taken back on one that the program leaves.
 */
export class TerminalModes {
  readonly #changed = new Map<number, boolean>();
  #rest = "";

  note(bytes: Uint8Array): void {
    const text = this.#rest + Buffer.from(bytes).toString("latin1");
    // oxlint-disable-next-line no-control-regex
    for (const [, modes = "", sign] of text.matchAll(/\u001b\[\?([\d;]{1,50})([hl])/g)) {
      for (const mode of modes.split(";").map(Number)) this.#set(mode, sign === "h");
    }
    const start = text.lastIndexOf("\u001b");
    this.#rest = start === -1 || text.length - start > longestSequence ? "" : text.slice(start);
  }

  #set(mode: number, isOn: boolean): void {
    if (isOn === onByDefault.has(mode)) this.#changed.delete(mode);
    else this.#changed.set(mode, isOn);
  }

  /** Whether the program draws on a screen of its own. */
  get isFullScreen(): boolean {
    return alternateScreens.some((mode) => this.#changed.has(mode));
  }

  /** Makes a terminal that is as usual like the program's. */
  enter(): string {
    const text = [...this.#changed].map(([mode, isOn]) => sequence(mode, isOn)).join("");
    return this.isFullScreen ? `${text}\u001b[H\u001b[2J` : text;
  }

  /** Makes the program's terminal as usual, colours and keypad included; the screen of its own goes last. */
  leave(): string {
    const back = [...this.#changed].toSorted(([a], [b]) => Number(isScreen(a)) - Number(isScreen(b)));
    return `\u001b[0m\u001b>${back.map(([mode, isOn]) => sequence(mode, !isOn)).join("")}`;
  }
}

function isScreen(mode: number): boolean {
  return alternateScreens.includes(mode);
}

function sequence(mode: number, isOn: boolean): string {
  return `\u001b[?${mode}${isOn ? "h" : "l"}`;
}
