import { hashText } from "../site/hash-set.ts";
import { hashWords } from "../site/similarity.ts";

/** A line that shows no more than this is a label, a list item or a caption rather than running text. */
const longestLabel = 100;
const longestLine = 2_000;
const linkTarget = /\]\([^)]{0,2000}\)/g;

const numbers = /\d[\d.,']{0,20}/g;
const currencyBefore = /(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|kr)\.?)[ \u00a0]?$/i;
const unitAfter =
  /^[ \u00a0]?(?:[$€£¥₹%°]|(?:USD|EUR|GBP|CHF|DKK|SEK|NOK|PLN|JPY|kr|zł|Kč|mm|cm|m|km|kg|mg|g|ml|cl|l|kWh|kW|W|V|mAh|[KMG]?Hz|[KMGT]B|inch|ft|lbs?|oz)\b)/i;
const cents = /^\d{1,9}(?:[.,]\d\d|,)$/;
const shownAround = 6;

const month = "\\p{L}{3,10}\\.?,?\\s{1,3}(?:de\\s)?";
const weekday = "(?:\\p{L}{2,10}\\.?,\\s{1,3})?";
/** Dates, times of the day and seconds since 1970. */
const times = new RegExp(
  [
    "\\d{4}-\\d\\d?-\\d\\d?(?:[T ]\\d\\d?:\\d\\d[\\d:.Z+]*)?",
    "\\d{1,2}[./-]\\d{1,2}[./-]\\d{2,4}",
    "\\b\\d{1,2}:\\d\\d(?::\\d\\d)?(?:\\s?[ap]m\\b)?",
    `${weekday}\\d{1,2}(?:st|nd|rd|th|\\.)?\\s{1,3}(?:de\\s)?${month}(?:19|20)\\d\\d`,
    `${weekday}${month}\\d{1,2}(?:st|nd|rd|th)?,?\\s{1,3}(?:19|20)\\d\\d`,
    "\\b\\d+\\s(?:second|minute|hour|day|week|month|year)s?\\sago\\b",
    "\\b1[4-9]\\d{8}(?:\\d{3})?\\b",
  ].join("|"),
  "giu",
);
const tokens = /\b(?=[a-z_-]*\d)(?=[\d_-]*[a-z])[\w-]{16,}/gi;
const plainNumbers = /(?<![\p{L}\d])\d[\d.,]*(?![\p{L}\d])/gu;
/** What stands before a number that counts visitors or tells the time. */
const passingLabel =
  /\b(views?|viewed|visit(s|ors?)?|hits?|seen|reads?|online|downloads?|likes?|shares?|comments?|followers?|counter|session|token|request|trace|nonce|updated|modified|generated|rendered|retrieved|date|time|besucher|aufrufe|gelesen|stand|datum|uhrzeit|vues?|visites?|visninger|besøg)\b/i;

/**
 * A hash of the words by which pages of one template are told apart: those of headings and tables, of labels and list items,
 * amounts, and those that its address names. Counters, dates and tokens are not among them.
 */
export function hashTellingWords(markdown: string): number {
  let hash = 0;
  const add = (word: number): void => {
    hash = Math.imul((hash << 5) ^ (hash >>> 27) ^ word, 0x01000193);
  };
  for (let start = 0; start < markdown.length;) {
    const newline = markdown.indexOf("\n", start);
    const end = newline === -1 ? markdown.length : newline;
    const isTable = markdown.charCodeAt(start) === 0x7c;
    if (end > start && (isTable || end - start <= longestLine)) {
      const line = markdown.slice(start, end);
      if (isTable) hashWords(withoutPassing(line), add);
      else hashWords(tellingPart(line), add);
    }
    start = end + 1;
  }
  for (const match of markdown.matchAll(numbers)) if (isAmount(markdown, match)) add(hashText(match[0]));
  return hash >>> 0;
}

/** Whether a number is a fact: it has a currency, a unit, or cents that belong to no date. */
function isAmount(text: string, { 0: number, index }: RegExpExecArray): boolean {
  const end = index + number.length;
  const after = text.slice(end, end + shownAround);
  if (unitAfter.test(after)) return true;
  const before = text.slice(Math.max(0, index - shownAround), index);
  if (currencyBefore.test(before)) return true;
  const amount = number.replace(/[.,]$/, (sign) => (sign === "," && after.startsWith("-") ? sign : ""));
  return cents.test(amount) && !/[\d:/-]$/.test(before) && !/^[:/]|^-\d/.test(after);
}

function tellingPart(line: string): string {
  if (line.startsWith("# ")) return line;
  if (line.length > longestLabel && !line.includes("](")) return "";
  const shown = line.includes("](") ? line.replace(linkTarget, "]") : line;
  if (shown.length > longestLabel) return "";
  if (!/\d/.test(shown)) return shown;
  const words = withoutPassing(shown);
  const label = /^([^:]{1,40}):/.exec(words)?.[1];
  return label === undefined || passingLabel.test(label) ? words.replace(plainNumbers, " ") : words;
}

function withoutPassing(text: string): string {
  return /\d/.test(text) ? text.replace(times, " ").replace(tokens, " ") : text;
}

/** The words of an address, without numbers: those of them that a page says are what it is about. */
export class AddressWords {
  readonly #words = new Set<number>();
  #hash = 0;

  constructor(url: string) {
    const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
    for (const word of path.split(/[^\p{L}\p{N}]+/u)) {
      if (/\p{L}/u.test(word) && word.length < 24) hashWords(word, (hash) => this.#words.add(hash));
    }
  }

  /** Of those that were said. */
  get hash(): number {
    return this.#hash;
  }

  say(word: number): void {
    if (this.#words.size > 0 && this.#words.delete(word)) this.#hash ^= Math.imul(word, 0x9e3779b1);
  }
}
