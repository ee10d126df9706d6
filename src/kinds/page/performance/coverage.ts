import type { CDPSession } from "playwright-core";
import { createPacer } from "../../../text/pacer.ts";
import { readRules, type Span } from "./css-rules.ts";

/** How much of one file, or of all that is written into the page itself, was of no use. In characters. */
export interface Coverage {
  readonly url: string;
  readonly isInline: boolean;
  readonly length: number;
  readonly unused: number;
}

interface Sheet {
  readonly url: string;
  readonly isInline: boolean;
  readonly length: number;
}

/** Watches which rules and functions are used, since the page began to load. Each is asked once. */
export interface CoverageWatch {
  readonly css: () => Promise<Coverage[]>;
  readonly script: () => Promise<Coverage[]>;
}

const maxSheets = 200;
const maxSheetCharacters = 2_000_000;
const maxTotalCharacters = 6_000_000;
/** The answer has a line for each, and comes in one piece that nobody can be spared to read while it is long. */
const maxRules = 60_000;

export async function watchCoverage(devtools: CDPSession): Promise<CoverageWatch> {
  const sheets = new Map<string, Sheet>();
  let left = maxTotalCharacters;
  devtools.on("CSS.styleSheetAdded", ({ header: { styleSheetId, sourceURL, isInline, isConstructed, length } }) => {
    const isWanted = !isConstructed && sourceURL !== "" && length > 0;
    if (!isWanted || sheets.size >= maxSheets || length > Math.min(maxSheetCharacters, left)) return;
    left -= length;
    sheets.set(styleSheetId, { url: sourceURL.slice(0, 2_000), isInline, length });
  });
  await devtools.send("DOM.enable");
  await devtools.send("CSS.enable");
  await devtools.send("CSS.startRuleUsageTracking");
  await devtools.send("Profiler.enable");
  await devtools.send("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
  return { css: () => takeCss(devtools, sheets), script: () => takeScript(devtools) };
}

/** A rule is unused when none of the elements that the page has shown so far matched it. */
async function takeCss(devtools: CDPSession, sheets: ReadonlyMap<string, Sheet>): Promise<Coverage[]> {
  const rules = new Map<string, readonly Span[]>();
  let blocks = 0;
  for (const styleSheetId of sheets.keys()) {
    const answer = await devtools.send("CSS.getStyleSheetText", { styleSheetId }).catch(() => undefined);
    if (answer === undefined) continue;
    rules.set(styleSheetId, await readRules(answer.text));
    blocks += countOf("{", answer.text, maxRules);
    if (blocks >= maxRules) throw new Error("the page has too many rules");
  }
  const { coverage } = await devtools.send("CSS.takeCoverageDelta");
  await devtools.send("CSS.stopRuleUsageTracking");
  const used = new Map<string, number[]>();
  for (const { styleSheetId, startOffset } of coverage) {
    const starts = used.get(styleSheetId);
    if (starts === undefined) used.set(styleSheetId, [startOffset]);
    else starts.push(startOffset);
  }
  return [...rules].flatMap(([id, spans]) => {
    const sheet = sheets.get(id);
    return sheet === undefined ? [] : [{ ...sheet, unused: lengthOfUnused(spans, used.get(id) ?? []) }];
  });
}

export function countOf(word: string, text: string, max: number): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < max; at = text.indexOf(word, at + word.length)) count += 1;
  return count;
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

async function takeScript(devtools: CDPSession): Promise<Coverage[]> {
  const { result } = await devtools.send("Profiler.takePreciseCoverage");
  await devtools.send("Profiler.stopPreciseCoverage");
  await devtools.send("Profiler.disable");
  const pace = createPacer();
  const found: Coverage[] = [];
  for (const { url, functions } of result) {
    await pace();
    // The first function is the whole script.
    const length = functions[0]?.ranges[0]?.endOffset ?? 0;
    if (url === "" || length === 0) continue;
    const unused = lengthOfUncalled(functions.flatMap(({ ranges }) => ranges));
    found.push({ url: url.slice(0, 2_000), isInline: false, length, unused });
  }
  return found;
}

interface Counted {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Ranges lie within each other, and the innermost says whether a place was run. */
function lengthOfUncalled(ranges: readonly Counted[]): number {
  const ordered = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const open: Counted[] = [];
  let [at, sum] = [0, 0];
  const goTo = (place: number): void => {
    if (open.at(-1)?.count === 0) sum += Math.max(0, place - at);
    at = Math.max(at, place);
  };
  const closeUntil = (place: number): void => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= place; last = open.at(-1)) {
      goTo(last.endOffset);
      open.pop();
    }
  };
  for (const range of ordered) {
    closeUntil(range.startOffset);
    goTo(range.startOffset);
    open.push(range);
  }
  closeUntil(Infinity);
  return sum;
}
