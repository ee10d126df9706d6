import { createRedactor } from "../../../text/redact.ts";
import type { Style } from "../show/style.ts";
import { escapeControls } from "../../../text/controls.ts";
import { ownVariables } from "./launch.ts";
import type { Entry, McpClient } from "./mcp-client.ts";

/** An entry as a file of its own would have it, to be read and to be copied; without an entry, what is around it. Secrets are hidden. */
export async function formatEntry(
  format: McpClient["format"],
  keys: readonly string[],
  entry: Entry | undefined,
): Promise<string> {
  const path = entry === undefined ? keys.slice(0, -1) : keys;
  const document = path.reduceRight<object>((inner, key) => ({ [key]: inner }), hideValues(entry ?? {}));
  if (format === "json") {
    const text = JSON.stringify(document, null, 2);
    return entry === undefined ? text.replace("{}", `{\n${"  ".repeat(path.length)}}`) : text;
  }
  const { stringify } = await import("smol-toml");
  return entry === undefined ? "" : stringify(document).trimEnd();
}

/** What a change takes away and brings, line by line, with what stays in between. */
export function formatDifference(before: string, after: string, style: Style): string {
  const [old = [], young = []] = [before, after].map((text) => (text === "" ? [] : text.split("\n")));
  const isSame = (fromStart: number): boolean =>
    fromStart < Math.min(old.length, young.length) && old[fromStart] === young[fromStart];
  let head = 0;
  while (isSame(head)) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, young.length) - head && old.at(-1 - tail) === young.at(-1 - tail)) tail += 1;
  const middle = (lines: readonly string[]): string[] => lines.slice(head, lines.length - tail).map(escapeControls);
  return [
    ...young.slice(0, head).map((line) => style.dim(`  ${line}`)),
    ...middle(old).map((line) => style.red(`- ${line}`)),
    ...middle(young).map((line) => style.green(`+ ${line}`)),
    ...young.slice(young.length - tail).map((line) => style.dim(`  ${line}`)),
  ].join("\n");
}

/** Variables and headers of a server often are secrets; those that we write ourselves are none. */
function hideValues(entry: Entry): Entry {
  const ownNames: ReadonlySet<string> = new Set(ownVariables);
  const redactor = createRedactor([]);
  const hide = (value: unknown, key: string, isInner: boolean): unknown => {
    if (typeof value === "string") return isInner && !ownNames.has(key) ? "[hidden]" : redactor.text(value);
    if (Array.isArray(value)) return value.map((each) => hide(each, key, isInner));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hide(each, name, true)]));
  };
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, hide(value, key, false)]));
}
