import { isDeepStrictEqual } from "node:util";
import { parse, stringify, TomlError, type TomlTable } from "smol-toml";
import { messageOf } from "../../../job/failure.ts";
import { nest, UneditableError, withEntry, type ConfigEditor } from "./config-editor.ts";
import type { Entry } from "./mcp-client.ts";

/** TOML is changed table by table: `[keys…]` and the tables below it. Other ways to write the same are read, but not changed. */
export function createTomlEditor(keys: readonly string[]): ConfigEditor {
  const get = (text: string): unknown => valueAt(read(text), keys);
  return {
    keys: () => keys,
    get,
    set: (text, entry) => {
      const old = get(text);
      const table = stringify(nest(keys, entry)).trimEnd();
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const block = `${table.replaceAll("\n", eol)}${eol}`;
      const changed = old === undefined ? append(text, block, eol) : replaceTables(text, keys, block);
      return check(text, changed, keys, entry);
    },
    unset: (text) => check(text, replaceTables(text, keys, ""), keys, undefined),
  };
}

function read(text: string): TomlTable {
  try {
    // Tables come without a prototype, which would make them differ from ours.
    return structuredClone(parse(text));
  } catch (error) {
    const [reason = ""] = messageOf(error)
      .replace(/^Invalid TOML document: /, "")
      .split("\n");
    const position = error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : "";
    throw new UneditableError(`it is not valid TOML${position} (${reason})`, { cause: error });
  }
}

function append(text: string, block: string, eol: string): string {
  if (text.trim() === "") return block;
  return `${text}${text.endsWith("\n") ? "" : eol}${eol}${block}`;
}

/** The first of the tables is replaced, the others go; what stands between them belongs to others and stays. */
function replaceTables(text: string, keys: readonly string[], block: string): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const kept: string[] = [];
  let isOurs = false;
  let isReplaced = false;
  /** Blank lines and comments belong to the table that follows them, until it turns out to be none. */
  let pending: string[] = [];
  for (const line of lines) {
    const path = headerPath(line);
    if (path !== undefined) {
      const wasOurs = isOurs;
      isOurs = keys.every((key, index) => path[index] === key);
      if (!isOurs || !wasOurs) kept.push(...pending);
      pending = [];
      if (isOurs && !isReplaced) kept.push(block);
      isReplaced ||= isOurs;
    }
    if (!isOurs) kept.push(line);
    else if (/^\s*(#.*)?\s*$/.test(line)) pending.push(line);
    else pending = [];
  }
  const result = [...kept, ...pending].join("");
  return block === "" && isOurs ? result.replace(/(\r?\n)(\r?\n)+$/, "$1") : result;
}

/** The name of the table that begins on this line. */
function headerPath(line: string): string[] | undefined {
  if (!/^\s*\[/.test(line)) return undefined;
  try {
    const path: string[] = [];
    let inner: unknown = parse(line);
    for (;;) {
      if (Array.isArray(inner)) [inner] = inner as unknown[];
      const [key] = Object.keys(inner as object);
      if (key === undefined) return path;
      path.push(key);
      inner = (inner as TomlTable)[key];
    }
  } catch {
    // A line of an array or a text that goes over several lines.
    return undefined;
  }
}

/** What the parser reads must be the same as before but for the entry: a text that only looks like a table is caught here. */
function check(before: string, after: string, keys: readonly string[], entry: Entry | undefined): string {
  const expected = withEntry(read(before), keys, entry);
  const found = readOrNothing(after);
  if (found !== undefined && isDeepStrictEqual(dropEmpty(found, keys), dropEmpty(expected, keys))) return after;
  throw new UneditableError(`it does not write servers as tables of their own ([${keys.join(".")}])`);
}

function readOrNothing(text: string): TomlTable | undefined {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}

/** The table of all servers is there without a line of its own only while it has one. */
function dropEmpty(document: Record<string, unknown>, [key = ""]: readonly string[]): Record<string, unknown> {
  const { [key]: servers, ...others } = document;
  return typeof servers === "object" && servers !== null && Object.keys(servers).length === 0 ? others : document;
}

function valueAt(document: TomlTable, keys: readonly string[]): unknown {
  let inner: unknown = document;
  for (const key of keys) {
    if (typeof inner !== "object" || inner === null) return undefined;
    inner = (inner as TomlTable)[key];
  }
  return inner;
}
