/** Markup that may be written as it is. Made only by `html` and `raw`, so everything else is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Value = string | number | Markup | readonly Markup[] | undefined | false;

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(strings.reduce((text, part, index) => text + show(values[index - 1]) + part));
}

/** For texts that this program wrote itself. */
export function raw(text: string): Markup {
  return new Markup(text);
}

/**
 * Text in which addresses, selectors and names of code may break at their signs, and nothing else does: words stay whole. Only what
 * is too long for a word and has no such place may break anywhere.
 */
export function breakable(text: string): Markup {
  const parts = text
    .split(/(\s+)/)
    .map((token) => (token.length <= longestUnbroken ? escapeHtml(token) : breakToken(token)));
  return new Markup(parts.join(""));
}

const longestUnbroken = 20;
const longestWord = 30;

function breakToken(token: string): string {
  const pieces = token.split(/(?<=[/?&=_.,:;>#|+~)-])(?![/?&=_.,:;>#|+~)-])|(?<=[a-z])(?=[A-Z])/);
  return pieces
    .map((piece) => (piece.length > longestWord ? `<span class="long">${escapeHtml(piece)}</span>` : escapeHtml(piece)))
    .join("<wbr />");
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function show(value: Value): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return value.map(({ text }) => text).join("");
}
