/** What a page says, with runs of white space as one space. Each element says a stretch of it, so that none is put together twice. */
export class PageText {
  #text = "";

  get length(): number {
    return this.#text.length;
  }

  append(raw: string): void {
    const text = raw.replace(/\s+/g, " ");
    this.#text += text.startsWith(" ") && this.#text.endsWith(" ") ? text.slice(1) : text;
  }

  /** From one place to another, without white space around it. */
  read({ start, end }: TextRange, max = Infinity): string {
    // The one more is the space before it.
    return this.#text
      .slice(start, Math.min(end, start + max + 1))
      .trim()
      .slice(0, max);
  }
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}
