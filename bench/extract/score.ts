/** What of two texts agrees, each divided by the sum of the three. */
export interface Agreement {
  readonly right: number;
  readonly wrong: number;
  readonly missing: number;
}

const shingleWords = 4;

/** The measure of the article-extraction-benchmark: runs of four words, as often as they occur. */
export function compareTexts(truth: string, found: string): Agreement {
  const wanted = shinglesOf(truth);
  const got = shinglesOf(found);
  let [right, wrong, missing] = [0, 0, 0];
  for (const [shingle, count] of wanted) {
    const common = Math.min(count, got.get(shingle) ?? 0);
    right += common;
    missing += count - common;
  }
  for (const [shingle, count] of got) wrong += Math.max(0, count - (wanted.get(shingle) ?? 0));
  const sum = right + wrong + missing || 1;
  return { right: right / sum, wrong: wrong / sum, missing: missing / sum };
}

export function summarise(pages: readonly Agreement[]): { precision: number; recall: number; f1: number } {
  const total = (part: keyof Agreement): number => pages.reduce((sum, page) => sum + page[part], 0);
  const precision = total("right") / (total("right") + total("wrong"));
  const recall = total("right") / (total("right") + total("missing"));
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

function shinglesOf(text: string): Map<string, number> {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const shingles = new Map<string, number>();
  const last = words.length === 0 ? 0 : Math.max(1, words.length - shingleWords + 1);
  for (let index = 0; index < last; index++) {
    const shingle = words.slice(index, index + shingleWords).join(" ");
    shingles.set(shingle, (shingles.get(shingle) ?? 0) + 1);
  }
  return shingles;
}
