import { z } from "zod";
import { compileGlob } from "../../../text/glob.ts";
import { compilePattern } from "../../../text/pattern.ts";
import { defineTool, type AgentTool, type ToolUse } from "./agent-tool.ts";

const longestText = 50_000;
const mostFound = 500;
const mostWalked = 50_000;
const longestLine = 400;
const mostScannedBytes = 100_000_000;
const path = z.string().min(1).max(4_000);
/** Big, and seldom what is looked for; they are searched when they are named. */
export const skippedFolders: ReadonlySet<string> = new Set([".git", "node_modules"]);

const readFile = defineTool({
  name: "read_file",
  description: "Read a text file. Long files are cut: read on with startLine.",
  input: z.object({
    filePath: path,
    startLine: z.int().min(1).optional(),
    endLine: z.int().min(1).optional(),
  }),
  brief: ({ filePath, startLine }) => (startLine === undefined ? filePath : `${filePath}:${startLine}`),
  run: async ({ filePath, startLine, endLine }, { files }) => {
    const text = await files.readText(filePath);
    if (startLine === undefined && endLine === undefined) return cut(text, 1);
    const first = startLine ?? 1;
    return cut(
      text
        .split("\n")
        .slice(first - 1, endLine)
        .join("\n"),
      first,
    );
  },
});

function cut(text: string, firstLine: number): string {
  if (text.length <= longestText) return text === "" ? "[the file is empty]" : text;
  const shown = text.slice(0, longestText);
  const next = firstLine + shown.split("\n").length - 1;
  return `${shown}\n[cut after ${longestText} of ${text.length} characters; read on with startLine ${next}]`;
}

const list = defineTool({
  name: "list",
  description: "List a folder: one entry per line, folders end in /.",
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
    'Find files by name, such as "src/**/*.ts". .git and node_modules are left out unless searchPath names them.',
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
  description: "Search text files for a regular expression (RE2). Answers path:line: text.",
  input: z.object({
    pattern: z.string().min(1).max(1_000),
    searchPath: path.default("."),
    ignoreCase: z.boolean().default(false),
    filesOnly: z.boolean().default(false),
    include: z.string().max(500).optional().describe('Only files like this, such as "*.ts".'),
  }),
  brief: ({ pattern, searchPath }) => `${pattern} ${searchPath === "." ? "" : searchPath}`.trim(),
  run: async ({ pattern, searchPath, ignoreCase, filesOnly, include }, use) => {
    const test = compilePattern(ignoreCase ? `(?i)${pattern}` : pattern);
    const isWanted = include === undefined ? () => true : compileGlob(include);
    const found: string[] = [];
    let count = 0;
    let scannedBytes = 0;
    for await (const file of walkFiles(searchPath, use)) {
      if (!isWanted(file) && !isWanted(file.split("/").at(-1) ?? file)) continue;
      const text = await use.files.readText(file).catch(() => "");
      scannedBytes += text.length;
      if (scannedBytes > mostScannedBytes) {
        found.push("[stopped: too much text; search a smaller folder]");
        break;
      }
      const matching = text
        .split("\n")
        .flatMap((line, index) => (test(line) ? [`${index + 1}: ${shorten(line)}`] : []));
      const lines = filesOnly ? matching.slice(0, 1).map(() => file) : matching.map((line) => `${file}:${line}`);
      count += lines.length;
      found.push(...lines.slice(0, mostFound + 1 - Math.min(found.length, mostFound + 1)));
    }
    return bounded(found, count, "Nothing matches.");
  },
});

async function* walkFiles(searchPath: string, { files, job }: ToolUse): AsyncGenerator<string> {
  if (!(await files.isFolder(searchPath))) {
    yield searchPath;
    return;
  }
  let walked = 0;
  for await (const { path: file } of files.walk(searchPath, skippedFolders)) {
    job.signal.throwIfAborted();
    if (++walked > mostWalked) return;
    if (walked % 1_000 === 0) job.touch();
    yield file;
  }
}

function shorten(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

function bounded(lines: readonly string[], count: number, nothing: string): string {
  if (lines.length === 0) return nothing;
  const rest = count > mostFound ? [`[${count - mostFound} more are not shown; narrow the search]`] : [];
  return [...lines.slice(0, mostFound), ...rest].join("\n").slice(0, longestText);
}

export const readTools: readonly AgentTool[] = [readFile, list, glob, grep];
