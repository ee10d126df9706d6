import type { Declarations, RawSource } from "../sources/section-source.ts";
import { sourceFunctions, type SourceTarget } from "./collect-sources.ts";
import type { PageScript } from "./scripts.ts";

/** Most elements of a page that are kept. */
const maxElements = 1_500;

export function sourcesScript(targets: readonly SourceTarget[]): PageScript<RawSource[]> {
  return withFunctions(`collectSources(${JSON.stringify(targets)}, ${maxElements})`);
}

/** Only after the one above, in the same page. */
export function restyleScript(): PageScript<Declarations[][]> {
  return withFunctions("restyleSources()");
}

function withFunctions(call: string): string {
  return `(() => {\n${sourceFunctions.map(String).join("\n")}\nreturn ${call};\n})()`;
}
