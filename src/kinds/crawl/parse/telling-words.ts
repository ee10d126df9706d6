import { hashText } from "../site/hash-set.ts";
import { hashWords } from "../site/similarity.ts";

/** A line that shows no more than this is a label, a list item or a caption rather than running text. */
const longestLabel = 100;
const longestLine = 2_000;
const linkTarget = /\]\([^)]{0,2000}\)/g;

/** What makes a number a fact, right before and right behind it. */
const currencyBefore = /(?<=(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|kr)\.?)[ \u00a0]?)/iy;
const unitAfter =
  /[ \u00a0]?(?:[$€£¥₹%°]|(?:USD|EUR|GBP|CHF|DKK|SEK|NOK|PLN|JPY|kr|zł|Kč|mm|cm|m|km|kg|mg|g|ml|cl|l|kWh|kW|W|V|mAh|[KMG]?Hz|[KMGT]B|inch|ft|lbs?|oz)\b)/iy;
const cents = /^\d{1,9}(?:[.,]\d\d|,)$/;
const longestNumber = 21;

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
    if (end > start) hashLine(markdown, start, end, add);
    start = end + 1;
  }
  findAmounts(markdown, (amount) => add(hashText(amount)));
  return hash >>> 0;
}

function hashLine(markdown: string, start: number, end: number, add: (word: number) => void): void {
  const isTable = markdown.charCodeAt(start) === 0x7c;
  if (!isTable && end - start > longestLine) return;
  const isTitle = markdown.startsWith("# ", start);
  const look = isTable || isTitle ? "whole" : lookAt(markdown, start, end);
  if (look === "long") return;
  // Most lines have no numbers, or only some that count.
  if (isTitle || look === "words") return hashWords(markdown, add, start, end);
  const addWord = (word: number, isNumber: boolean): void => (isNumber ? undefined : add(word));
  if (look === "counts") return hashWords(markdown, addWord, start, end);
  const line = markdown.slice(start, end);
  hashWords(isTable ? withoutPassing(line) : tellingPart(line), add);
}

/**
 * What a line shows: running text, words, words and numbers that only count, or what has to be looked at more closely because it may
 * hold times and tokens, or say what a number is.
 */
function lookAt(text: string, start: number, end: number): "long" | "words" | "counts" | "whole" {
  let shown = 0;
  let digits = 0;
  let word = 0;
  let hasDigit = false;
  let isPlain = true;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    shown += 1;
    const isDigit = code >= 48 && code <= 57;
    if (isDigit) {
      hasDigit = true;
      digits += 1;
      if ((digits === 4 && isCentury(text.slice(index - 3, index - 1))) || digits === 10) isPlain = false;
    } else {
      // A colon, or a sign between numbers.
      if (code === 58 || (digits > 0 && (code === 45 || code === 46 || code === 47))) isPlain = false;
      digits = 0;
      if (code === 93 && text.charCodeAt(index + 1) === 40) {
        while (index < end && text.charCodeAt(index) !== 41) index++;
      }
    }
    word = isDigit || code === 45 || code === 95 || (code | 32) >= 97 ? word + 1 : 0;
    if (word === longestWord) isPlain = false;
  }
  if (shown > longestLabel) return "long";
  if (!hasDigit) return "words";
  return isPlain && !text.slice(start, end).includes(" ago") ? "counts" : "whole";
}

function isCentury(digits: string): boolean {
  return digits === "19" || digits === "20";
}

/** Longer ones may be tokens. */
const longestWord = 16;

/** Numbers that are facts, by the order of the text: they have a currency, a unit, or cents that belong to no date. */
function findAmounts(text: string, onAmount: (amount: string) => void): void {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 93 && text.charCodeAt(index + 1) === 40) {
      while (index < text.length && text.charCodeAt(index) !== 41) index++;
    }
    if (code < 48 || code > 57) continue;
    const start = index;
    while (index - start < longestNumber && isOfNumber(text.charCodeAt(index))) index++;
    if (isAmount(text, start, index)) onAmount(text.slice(start, index));
    index -= 1;
  }
}

/** A digit, or a sign within a number: point, comma, apostrophe. */
function isOfNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46 || code === 44 || code === 39;
}

function isAmount(text: string, start: number, end: number): boolean {
  unitAfter.lastIndex = end;
  if (unitAfter.test(text)) return true;
  currencyBefore.lastIndex = start;
  if (currencyBefore.test(text)) return true;
  if (end - start < 2) return false;
  const number = text.slice(start, end);
  const amount = number.replace(/[.,]$/, (sign) => (sign === "," && text.charAt(end) === "-" ? sign : ""));
  if (!cents.test(amount)) return false;
  const after = text.slice(end, end + 2);
  return !/[\d:/-]/.test(text.charAt(start - 1)) && !/^[:/]|^-\d/.test(after);
}

function tellingPart(line: string): string {
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
