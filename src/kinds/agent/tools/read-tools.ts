import { z } from "zod";
import { compileGlob } from "../../../text/glob.ts";
import { createPacer } from "../../../text/pacer.ts";
import { mediaTypeOf, openPicture } from "./pictures.ts";
import { defineTool, type AgentTool, type ToolUse } from "./agent-tool.ts";

const longestText = 50_000;
const maxFound = 500;
const maxWalked = 50_000;
const longestLine = 400;
const maxScannedBytes = 100_000_000;
const path = z.string().min(1).max(4_000);
/** Big, and seldom what is looked for; they are searched when they are named. */
export const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules"]);

const readFile = defineTool({
  name: "read_file",
  description:
    "Read a text file; each line has its number and a tab before it. Long files are cut: read on with startLine. Pictures (PNG, JPEG, GIF, WebP) and PDF files are shown to you.",
  isReader: () => true,
  input: z.object({
    filePath: path,
    startLine: z.int().min(1).optional(),
    endLine: z.int().min(1).optional(),
  }),
  brief: ({ filePath, startLine }) => (startLine === undefined ? filePath : `${filePath}:${startLine}`),
  run: async ({ filePath, startLine, endLine }, { files, memory }) => {
    const mediaType = mediaTypeOf(filePath);
    if (mediaType !== undefined) {
      const picture = await openPicture(filePath, mediaType, files);
      return { text: `${filePath} is shown to you after these answers.`, picture };
    }
    const text = await memory.readText(filePath);
    if (startLine === undefined && endLine === undefined) return cut(text, 1);
    const first = startLine ?? 1;
    const start = lineStart(text, 0, first - 1);
    const end = endLine === undefined ? text.length : lineStart(text, start, Math.max(0, endLine - first + 1));
    return cut(text.slice(start, end).replace(/\n$/, ""), first);
  },
});

/** Where the line after so many others begins. */
function lineStart(text: string, from: number, lines: number): number {
  let start = from;
  for (let left = lines; left > 0 && start < text.length; left--) {
    const end = text.indexOf("\n", start);
    start = end === -1 ? text.length : end + 1;
  }
  return start;
}

function cut(text: string, firstLine: number): string {
  if (text === "") return "[there is nothing]";
  const shown = text.slice(0, longestText);
  const lines = shown.replace(/\n$/, "").split("\n");
  const numbered = lines.map((line, index) => `${firstLine + index}\t${line}`).join("\n");
  if (shown.length === text.length) return numbered;
  const next = firstLine + lines.length - 1;
  return `${numbered}\n[cut after ${longestText} of ${text.length} characters; read on with startLine ${next}]`;
}

const list = defineTool({
  name: "list",
  description: "List a folder: one entry per line, folders end in /.",
  isReader: () => true,
  input: z.object({ dirPath: path.default("."), showHidden: z.boolean().default(false) }),
  brief: ({ dirPath }) => dirPath,
  run: async ({ dirPath, showHidden }, { files }) => {
    const { entries } = await files.list(dirPath);
    const shown = entries.filter(({ name }) => showHidden || !name.startsWith("."));
    const lines = shown.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""}`);
    return bounded(lines, shown.length, "The folder is empty.");
  },
});

const glob = defineTool({
  name: "glob",
  description:
    'Find files by name, such as "src/**/*.ts". .git, node_modules and what .gitignore names are left out unless searchPath names them.',
  isReader: () => true,
  input: z.object({ pattern: z.string().min(1).max(500), searchPath: path.default(".") }),
  brief: ({ pattern }) => pattern,
  run: async ({ pattern, searchPath }, use) => {
    const matches = compileGlob(pattern);
    const prefix = searchPath === "." ? "" : `${searchPath.replace(/^\.\//, "").replace(/\/+$/, "")}/`;
    const found: string[] = [];
    for await (const file of walkFiles(searchPath, use)) {
      if (matches(file) || (file.startsWith(prefix) && matches(file.slice(prefix.length)))) found.push(file);
    }
    return bounded(found, found.length, "No file matches.");
  },
});

const grep = defineTool({
  name: "grep",
  description:
    "Search text files for a regular expression (RE2). Answers path:line: text, and the lines around it as path-line- text. What .gitignore names is left out unless searchPath names it.",
  isReader: () => true,
  input: z.object({
    pattern: z.string().min(1).max(1_000),
    searchPath: path.default("."),
    ignoreCase: z.boolean().default(false),
    filesOnly: z.boolean().default(false),
    context: z.int().min(0).max(20).default(0).describe("Lines to show before and after each."),
    include: z.string().max(500).optional().describe('Only files like this, such as "*.ts".'),
  }),
  brief: ({ pattern, searchPath }) => `${pattern} ${searchPath === "." ? "" : searchPath}`.trim(),
  run: async ({ pattern, searchPath, ignoreCase, filesOnly, include, context }, use) => {
    const expression = ignoreCase ? `(?i)${pattern}` : pattern;
    const isWanted = include === undefined ? () => true : compileGlob(include);
    const found: string[] = [];
    let count = 0;
    let scannedBytes = 0;
    for await (const file of walkFiles(searchPath, use)) {
      if (!isWanted(file) && !isWanted(file.split("/").at(-1) ?? file)) continue;
      const text = await use.files.readText(file).catch(() => "");
      scannedBytes += text.length;
      if (scannedBytes > maxScannedBytes) {
        found.push("[stopped: too much text; search a smaller folder]");
        break;
      }
      const matching: Line[] = [];
      for await (const line of searchLines(text, expression, use)) matching.push(line);
      const lines = filesOnly ? matching.slice(0, 1).map(() => file) : showMatches(file, text, matching, context);
      count += lines.length;
      found.push(...lines.slice(0, maxFound + 1 - Math.min(found.length, maxFound + 1)));
    }
    return bounded(found, count, "Nothing matches.");
  },
});

const searchedAtOnce = 128 * 1024;

interface Line {
  readonly number: number;
  readonly line: string;
}

/** As grep shows them: a line that matches after a colon, one around it after a dash, and two dashes where lines are left out. */
function showMatches(file: string, text: string, matching: readonly Line[], context: number): string[] {
  if (context === 0) return matching.map(({ number, line }) => `${file}:${number}: ${shorten(line)}`);
  const all = matching.length === 0 ? [] : text.split("\n");
  const matches = new Set(matching.map(({ number }) => number));
  const shown = new Set(matching.flatMap(({ number }) => around(number, context, all.length)));
  const numbers = [...shown].toSorted((a, b) => a - b);
  return numbers.flatMap((number, index) => {
    const mark = matches.has(number) ? ":" : "-";
    const line = `${file}${mark}${number}${mark} ${shorten(all[number - 1] ?? "")}`;
    return index > 0 && numbers[index - 1] !== number - 1 ? ["--", line] : [line];
  });
}

function around(number: number, context: number, count: number): number[] {
  const first = Math.max(1, number - context);
  return Array.from({ length: Math.min(count, number + context) - first + 1 }, (_, index) => first + index);
}

/** The lines that match, with their numbers. */
export async function* searchLines(
  text: string,
  pattern: string,
  { patterns, job }: Pick<ToolUse, "patterns" | "job">,
): AsyncGenerator<Line> {
  let number = 1;
  for (let start = 0; start < text.length || start === 0;) {
    const end = lineStart(text, Math.min(text.length, start + searchedAtOnce), 1);
    const lines = text.slice(start, end).replace(/\n$/, "").split("\n");
    for (const place of await patterns.search(pattern, lines, { signal: job.signal })) {
      yield { number: number + place, line: lines[place] ?? "" };
    }
    number += lines.length;
    start = Math.max(end, 1);
  }
}

async function* walkFiles(searchPath: string, { files, job }: ToolUse): AsyncGenerator<string> {
  if (!(await files.isFolder(searchPath))) {
    yield searchPath;
    return;
  }
  let walked = 0;
  const pace = createPacer();
  for await (const { path: file } of files.walk(searchPath, skippedFolders)) {
    job.signal.throwIfAborted();
    if (++walked > maxWalked) return;
    if (walked % 1_000 === 0) job.touch();
    await pace();
    yield file;
  }
}

function shorten(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

function bounded(lines: readonly string[], count: number, nothing: string): string {
  if (lines.length === 0) return nothing;
  const rest = count > maxFound ? [`[and ${count - maxFound} more; narrow the search]`] : [];
  return [...lines.slice(0, maxFound), ...rest].join("\n").slice(0, longestText);
}

export const readTools: readonly AgentTool[] = [readFile, list, glob, grep];
