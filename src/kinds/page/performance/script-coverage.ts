import type { CDPSession } from "playwright-core";
import { createPacer } from "../../../text/pacer.ts";
import type { Coverage } from "./coverage.ts";

/** Watches which functions are run, from before the page begins to load. Asked once. */
export interface ScriptWatch {
  readonly take: () => Promise<Coverage[]>;
}

export async function watchScripts(devtools: CDPSession): Promise<ScriptWatch> {
  await devtools.send("Profiler.enable");
  await devtools.send("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
  return { take: () => takeScript(devtools) };
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
