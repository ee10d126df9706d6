import { parseUrl } from "../../../job/parse-url.ts";
import { loadingScript } from "../in-page/scripts.ts";
import { showWholePage } from "../in-page/settle-page.ts";
import type { Vitals } from "../in-page/watch-page.ts";
import type { LivePage } from "../live-page.ts";
import { countOf, type Coverage } from "./coverage.ts";
import { measureCss } from "./css-coverage.ts";
import type { LoadFacts } from "./load-facts.ts";
import { amount, sum } from "./problem.ts";
import { isPlainText, packTexts } from "./pack-texts.ts";
import type { Conditions } from "./performance.ts";

const maxScriptBytes = 10_000_000;
const maxFileBytes = 3_000_000;
/** The answer has a line for each, and comes in one piece that nobody can be spared to read while it is long. */
const maxFunctions = 40_000;

/** Reads what a load that has come to rest left behind. */
export async function collectLoad(live: LivePage, vitals: Vitals, conditions: Conditions): Promise<LoadFacts> {
  const { traffic, devtools, evaluate, page } = live;
  // What waits to be seen is part of the page.
  await evaluate(showWholePage());
  const loading = await evaluate(loadingScript());
  const requests = traffic.requests();
  const notes: string[] = [];
  const css = await measured("Unused CSS", () => measureCss(devtools, notes), notes);
  const script = await measured("Unused scripts", () => takeScript(live), notes);
  const { packed, skipped } = await packTexts(requests.filter(isPlainText), traffic.readBody);
  if (skipped > 0) notes.push(`Compression was not tried with ${amount(skipped, "file")}: too large, or too many.`);
  return {
    url: page.url(),
    conditions,
    vitals,
    requests,
    ...loading,
    css,
    script,
    packed,
    domains: await findDomains(requests.map(({ url }) => url)),
    notes,
  };
}

async function measured(
  name: string,
  measure: () => Promise<Coverage[]>,
  notes: string[],
): Promise<Coverage[] | undefined> {
  try {
    return await measure();
  } catch (error) {
    notes.push(`${name} could not be measured: ${error instanceof Error ? error.message.slice(0, 200) : "no reason"}.`);
    return undefined;
  }
}

async function takeScript({ traffic, page, scripts }: LivePage): Promise<Coverage[]> {
  if (scripts === undefined) throw new Error("nobody watched them");
  const sources = traffic.requests().filter(({ type, isMain }) => type === "script" || isMain);
  const sizes = sources.map(({ bodyBytes }) => bodyBytes);
  if (sum(sizes, (bytes) => bytes) > maxScriptBytes || Math.max(0, ...sizes) > maxFileBytes)
    throw new Error(
      `more than ${maxScriptBytes / 1_000_000} MB of scripts, or ${maxFileBytes / 1_000_000} MB in one file`,
    );
  let functions = 0;
  for (const source of sources) {
    const text = await traffic.readBody(source);
    if (typeof text === "string") functions += countFunctions(text);
    if (functions > maxFunctions) throw new Error(`the page has more than ${maxFunctions} functions`);
  }
  const files = new Set(sources.filter(({ isMain }) => !isMain).map(({ url }) => url));
  return (await scripts.take()).flatMap((each) => {
    if (files.has(each.url)) return [each];
    // What calls itself otherwise was made by a script.
    return withoutHash(each.url) === withoutHash(page.url()) ? [{ ...each, isInline: true }] : [];
  });
}

/** About so many: those with a name, arrows, and methods, which look like the blocks of other statements. */
function countFunctions(text: string): number {
  const count = (word: string): number => countOf(word, text, maxFunctions * 2);
  const blocks = sum(["if(", "for(", "while(", "switch(", "catch("], count);
  return count("=>") + Math.max(count("function"), count("){") - blocks);
}

function withoutHash(url: string): string {
  return url.replace(/#.*$/, "");
}

/** The registrable domain of each host, or the host where there is none. Its list is loaded only now. */
async function findDomains(urls: readonly string[]): Promise<Record<string, string>> {
  const { getDomain } = await import("tldts");
  const hosts = new Set(urls.flatMap((url) => parseUrl(url)?.hostname ?? []));
  return Object.fromEntries([...hosts].map((host) => [host, getDomain(host, { allowPrivateDomains: true }) ?? host]));
}
