import { stripVTControlCharacters } from "node:util";

const shortForms: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u001b": "\\e" };

/** What could move the cursor, change colours, reach the clipboard, turn the text around, or be there without being seen. */
const control = String.raw`\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]`;
const controls = new RegExp(control, "gu");
/** Besides, what our own texts are made of: line ends, tabs, and the colours of `createStyle`. */
const controlsOfTexts = new RegExp(String.raw`\u001b\[(?:1|2|22|3[1-9])m|[\n\t]|${control}`, "gu");

const controlsOfJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Shows control characters, line ends included, instead of sending them to the terminal. */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, escape);
}

/** The same for a text that has lines, and may have colours of ours. */
export function escapeTextControls(text: string): string {
  return text.replaceAll(controlsOfTexts, (found) =>
    found === "\n" || found === "\t" || found.startsWith("\u001b[") ? found : escape(found),
  );
}

/** JSON that a terminal can be sent: those control characters that JSON leaves as they are become escapes, which mean the same. */
export function escapeJsonControls(json: string): string {
  return json.replaceAll(controlsOfJson, (found) =>
    [...Array(found.length).keys()].map((place) => `\\u${hex(found.charCodeAt(place), 4)}`).join(""),
  );
}

/** What no reader needs and a model may be misled by: escape sequences, other control characters, and what nobody sees. */
const unseen = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/** A text of others without control characters: line ends and tabs stay. */
export function stripControls(text: string): string {
  if (!unseen.test(text)) return text;
  return stripVTControlCharacters(text).replaceAll(/\r\n?/g, "\n").replaceAll(new RegExp(unseen, "gu"), "");
}

/** The last line with something to read on it: a program that fills the screen moves the cursor more than it writes lines. */
export function lastLineOf(text: string): string {
  const lines = stripControls(text).split("\n");
  return (lines.findLast((line) => line.trim() !== "") ?? "").trim();
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return shortForms[character] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
