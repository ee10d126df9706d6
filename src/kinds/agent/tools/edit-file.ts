import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import { countText } from "../../../text/count-text.ts";
import { defineTool } from "./agent-tool.ts";

const maxCharacters = 2_000_000;
const anyText = z.string().max(maxCharacters);
const maxPlaces = 10;

export const editFileTool = defineTool({
  name: "edit_file",
  description:
    "Replace a text in a file by another. The old text must be exactly as in the file, without line numbers, and there only once: give enough lines around it, or set replaceAll.",
  input: z
    .object({
      filePath: z.string().min(1).max(4_000),
      oldText: anyText.min(1).describe("As it stands in the file, indentation included."),
      newText: anyText,
      replaceAll: z.boolean().default(false),
    })
    .refine(({ oldText, newText }) => oldText !== newText, "must have a newText that differs from oldText"),
  changes: "writes",
  isUnrepeatable: true,
  brief: ({ filePath }) => filePath,
  preview: ({ filePath, oldText, newText, replaceAll }) =>
    [`${filePath}${replaceAll ? ", everywhere" : ""}`, ...marked("-", oldText), ...marked("+", newText)].join("\n"),
  run: async ({ filePath, oldText, newText, replaceAll }, { files, memory }) => {
    const before = await files.readText(filePath);
    memory.check(filePath, before);
    const { old, places } = findPlaces(before, oldText);
    if (places.length === 0) {
      throw new LonghaulError(
        "conflict",
        `The old text was not found in ${filePath}: read it and give the text exactly.`,
      );
    }
    if (places.length > 1 && !replaceAll) {
      const lines = places.slice(0, maxPlaces).map((place) => lineAt(before, place));
      const more = places.length > maxPlaces ? " and more" : "";
      throw new LonghaulError(
        "conflict",
        `The old text is ${places.length} times in ${filePath}, at the lines ${lines.join(", ")}${more}: give more of what is around it, or set replaceAll.`,
      );
    }
    const after = replaceAt(before, places, old.length, inLinesOf(before, newText));
    await memory.writeText(filePath, after);
    return `Replaced ${countText(places.length, "place")} in ${filePath}, at line ${lineAt(before, places[0] ?? 0)}.`;
  },
  verify: async ({ filePath, oldText, newText }, { files }) => {
    const there = await files.readText(filePath).catch(() => "");
    const isDone = newText !== "" && there.includes(inLinesOf(there, newText)) && !newText.includes(oldText);
    return isDone && findPlaces(there, oldText).places.length === 0 ? `${filePath} has the new text.` : undefined;
  },
});

function marked(mark: string, text: string): string[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => mark + line);
}

/** Models write lines that end in LF alone, whatever the file's own lines end in. */
function findPlaces(text: string, wanted: string): { old: string; places: number[] } {
  const old = text.includes(wanted) ? wanted : inLinesOf(text, wanted);
  const places: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) places.push(at);
  return { old, places };
}

function inLinesOf(file: string, text: string): string {
  return file.includes("\r\n") ? text.replaceAll(/\r?\n/g, "\r\n") : text;
}

function replaceAt(text: string, places: readonly number[], length: number, by: string): string {
  let from = 0;
  const pieces = places.map((place) => {
    const piece = text.slice(from, place);
    from = place + length;
    return piece + by;
  });
  return pieces.join("") + text.slice(from);
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
