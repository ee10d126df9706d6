import type { CDPSession } from "playwright-core";
import { countOf, type Coverage } from "./coverage.ts";
import { amount } from "./problem.ts";
import { readRules, type Span } from "./css-rules.ts";

interface Sheet {
  readonly url: string;
  readonly isInline: boolean;
  readonly length: number;
}

const maxSheets = 200;
const maxSheetCharacters = 2_000_000;
const maxTotalCharacters = 6_000_000;
/** The answer has a line for each, and comes in one piece that nobody can be spared to read while it is long. */
const maxRules = 50_000;

/**
 * A rule is unused when no element of the page matches it, as the page stands. Asked only now, because the browser takes the
 * square of the number of rules that match, and the load is not to wait for that.
 */
export async function measureCss(devtools: CDPSession, notes: string[]): Promise<Coverage[]> {
  const sheets = new Map<string, Sheet>();
  let left = maxTotalCharacters;
  let skipped = 0;
  devtools.on("CSS.styleSheetAdded", ({ header: { styleSheetId, sourceURL, isInline, isConstructed, length } }) => {
    if (isConstructed || sourceURL === "" || length === 0) return;
    if (sheets.size >= maxSheets || length > Math.min(maxSheetCharacters, left)) {
      skipped += 1;
      return;
    }
    left -= length;
    sheets.set(styleSheetId, { url: sourceURL.slice(0, 2_000), isInline, length });
  });
  await devtools.send("DOM.enable");
  // Tells of every sheet that is there.
  await devtools.send("CSS.enable");
  if (skipped > 0)
    notes.push(`Unused CSS was not looked for in ${amount(skipped, "style sheet")}: too large, or too many.`);
  const rules = await readSheets(devtools, sheets);
  await devtools.send("CSS.startRuleUsageTracking");
  const { ruleUsage } = await devtools.send("CSS.stopRuleUsageTracking");
  const used = new Map<string, number[]>();
  for (const { styleSheetId, startOffset } of ruleUsage) {
    const starts = used.get(styleSheetId);
    if (starts === undefined) used.set(styleSheetId, [startOffset]);
    else starts.push(startOffset);
  }
  return [...rules].map(([sheet, { id, spans }]) => ({
    ...sheet,
    unused: lengthOfUnused(spans, used.get(id) ?? []),
  }));
}

interface ReadSheet {
  readonly id: string;
  readonly spans: readonly Span[];
}

async function readSheets(
  devtools: CDPSession,
  sheets: ReadonlyMap<string, Sheet>,
): Promise<ReadonlyMap<Sheet, ReadSheet>> {
  const found = new Map<Sheet, ReadSheet>();
  let blocks = 0;
  for (const [id, sheet] of sheets) {
    const answer = await devtools.send("CSS.getStyleSheetText", { styleSheetId: id }).catch(() => undefined);
    if (answer === undefined) continue;
    found.set(sheet, { id, spans: await readRules(answer.text) });
    blocks += countOf("{", answer.text, maxRules);
    if (blocks >= maxRules) throw new Error(`the page has more than ${maxRules} rules`);
  }
  return found;
}

function lengthOfUnused(rules: readonly Span[], used: readonly number[]): number {
  const starts = used.toSorted((a, b) => a - b);
  let next = 0;
  let sum = 0;
  for (const { start, end } of rules) {
    while (next < starts.length && (starts[next] ?? 0) < start) next += 1;
    if ((starts[next] ?? Infinity) >= end) sum += end - start;
  }
  return sum;
}
