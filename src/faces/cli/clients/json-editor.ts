import {
  createScanner,
  findNodeAtLocation,
  parse,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../../job/is-record.ts";
import { nest, UneditableError, withEntry, type ConfigEditor } from "./config-editor.ts";
import type { Entry } from "./mcp-client.ts";

type Keys = readonly string[];

/** JSON with comments and trailing commas. Edits are made by hand: those of the parser's own kind move comments and reformat neighbours. */
export function createJsonEditor(findKeys: (document: unknown) => Keys): ConfigEditor {
  const keysOf = (text: string): Keys => findKeys(read(text));
  return {
    keys: keysOf,
    get: (text) => {
      const node = text.trim() === "" ? undefined : findNodeAtLocation(treeOf(text), [...keysOf(text)]);
      return node === undefined ? undefined : valueOf(text, node);
    },
    set: (text, entry) => {
      if (text.trim() === "") return `${JSON.stringify(nest(keysOf(text), entry), null, 2)}\n`;
      return check(text, setEntry(text, keysOf(text), entry), keysOf(text), entry);
    },
    unset: (text) => check(text, removeProperty(text, keysOf(text)), keysOf(text), undefined),
  };
}

function read(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  const document: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split("\n");
    const position = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
    throw new UneditableError(`it is not valid JSON at ${position} (${printParseErrorCode(first.error)})`);
  }
  if (!isRecord(document)) throw new UneditableError("it does not hold a JSON object");
  return document;
}

function treeOf(text: string): Node {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree === undefined) throw new UneditableError("it does not hold a JSON object");
  return tree;
}

function valueOf(text: string, { offset, length }: Node): unknown {
  return parse(text.slice(offset, offset + length), [], { allowTrailingComma: true });
}

/** An entry that is there is changed field by field, so that what the user wrote into it stays. */
function setEntry(text: string, keys: Keys, entry: Entry): string {
  const before = findNodeAtLocation(treeOf(text), [...keys]);
  const old = before === undefined ? undefined : valueOf(text, before);
  if (!isRecord(old)) return setValue(text, keys, entry);
  let changed = text;
  for (const key of Object.keys(old)) if (!(key in entry)) changed = removeProperty(changed, [...keys, key]);
  for (const [key, value] of Object.entries(entry)) {
    if (!isDeepStrictEqual(old[key], value)) changed = setValue(changed, [...keys, key], value);
  }
  return changed;
}

function setValue(text: string, keys: Keys, value: unknown): string {
  const tree = treeOf(text);
  const layout = readLayout(text);
  const present = findNodeAtLocation(tree, [...keys]);
  if (present !== undefined) {
    return splice(text, present.offset, present.length, formatJson(value, layout, layout.indentAt(present.offset)));
  }
  let depth = keys.length - 1;
  while (depth > 0 && findNodeAtLocation(tree, keys.slice(0, depth)) === undefined) depth -= 1;
  const parent = depth === 0 ? tree : findNodeAtLocation(tree, keys.slice(0, depth));
  if (parent?.type !== "object")
    throw new UneditableError(`"${keys.slice(0, depth).join(".")}" in it is not an object`);
  return insertProperty(text, parent, keys[depth] ?? "", nest(keys.slice(depth + 1), value));
}

/** Behind the last property, before the closing brace; comments stay where they are. */
function insertProperty(text: string, parent: Node, key: string, value: unknown): string {
  const layout = readLayout(text);
  const outer = layout.indentAt(parent.offset);
  const first = parent.children?.[0];
  const isFirstOnOwnLine = first !== undefined && /\n[ \t]*$/.test(text.slice(0, first.offset));
  const inner = isFirstOnOwnLine ? layout.indentAt(first.offset) : outer + layout.unit;
  const brace = parent.offset + parent.length - 1;
  const content = text.slice(0, brace).trimEnd();
  const last = parent.children?.at(-1);
  const comma = last === undefined ? undefined : commaAfter(text, end(last), brace);
  const property = `${JSON.stringify(key)}:${layout.isOneLine ? "" : " "}${formatJson(value, layout, inner)}`;
  const added = `${layout.isOneLine ? "" : layout.eol + inner}${property}${comma === undefined ? "" : ","}`;
  const gap = text.slice(content.length, brace);
  const rest = (gap.includes("\n") || layout.isOneLine ? gap : layout.eol + outer) + text.slice(brace);
  if (last === undefined || comma !== undefined) return content + added + rest;
  return `${content.slice(0, end(last))},${content.slice(end(last))}${added}${rest}`;
}

function removeProperty(text: string, keys: Keys): string {
  const property = findNodeAtLocation(treeOf(text), [...keys])?.parent;
  const parent = property?.parent;
  if (property === undefined || parent?.children === undefined) return text;
  const brace = parent.offset + parent.length - 1;
  const index = parent.children.indexOf(property);
  const before = parent.children[index - 1];
  const comma = commaAfter(text, end(property), brace);
  const start = text.slice(0, property.offset).trimEnd().length;
  // A line comment right before would swallow what follows the property on its line.
  const rest = text.slice(comma === undefined ? end(property) : comma + 1);
  const from =
    /^[ \t]*(\r?\n|$)/.test(rest) || !text.slice(start, property.offset).includes("\n") ? start : property.offset;
  const without = text.slice(0, from) + rest;
  if (parent.children.length === 1) {
    const inside = without.slice(parent.offset + 1, brace - (text.length - without.length));
    return inside.trim() === "" ? splice(without, parent.offset + 1, inside.length, "") : without;
  }
  if (comma !== undefined || before === undefined) return without;
  const commaBefore = commaAfter(text, end(before), property.offset);
  return commaBefore === undefined ? without : splice(without, commaBefore, 1, "");
}

function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const offset = scanner.getTokenOffset();
  return text[offset] === "," && offset < to ? offset : undefined;
}

/** Twice the same key, for one, reads differently than it is found: better to refuse than to spoil a file. */
function check(before: string, after: string, keys: Keys, entry: Entry | undefined): string {
  if (!isDeepStrictEqual(read(after), withEntry(read(before), keys, entry)))
    throw new UneditableError("it cannot be changed without risk");
  return after;
}

function end({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, offset: number, length: number, replacement: string): string {
  return text.slice(0, offset) + replacement + text.slice(offset + length);
}

/** How a JSON text is laid out, so that what is added to it looks like the rest. */
interface JsonLayout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  readonly isOneLine: boolean;
  /** The white space at the beginning of the line that this place is on. */
  readonly indentAt: (offset: number) => string;
}

function readLayout(text: string): JsonLayout {
  return {
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    unit: /\n([ \t]+)"/.exec(text)?.[1] ?? "  ",
    isOneLine: !text.trim().includes("\n") && !/^\{\s*\}$/.test(text.trim()),
    indentAt: (offset) => /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "",
  };
}

/** The first line stands behind its key; the others are indented. */
function formatJson(value: unknown, { unit, eol, isOneLine }: JsonLayout, indent: string): string {
  if (isOneLine) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}
