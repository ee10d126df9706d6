import type { AnswerOf } from "../../../operations/registry.ts";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A page as `crawl_pages` tells it. */
export type CrawledPage = AnswerOf<"crawl_pages">["pages"][number];

/** Writes pages to a file of JSON lines (`….jsonl`), or else to a folder of Markdown files, one per page. */
export function openPageFiles(out: string): (page: CrawledPage) => void {
  if (out.endsWith(".jsonl")) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, "");
    return (page) => appendFileSync(out, `${JSON.stringify(page)}\n`);
  }
  const taken = new Set<string>();
  return (page) => {
    const path = join(out, freeName(page.url ?? "", taken));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toMarkdownFile(page));
  };
}

const longestPart = 80;

/** host/path.md, of nothing but harmless characters: a URL must not lead out of the folder. */
function freeName(url: string, taken: Set<string>): string {
  const { host, pathname, search } = new URL(url);
  const parts = [host, ...pathname.split("/")].filter((part) => part !== "").map(safePart);
  if (pathname.endsWith("/")) parts.push("index");
  const query = search === "" ? "" : `_${safePart(search.slice(1))}`;
  const plain = `${parts.slice(0, 20).join("/")}${query}`.replace(/\.html?$/, "");
  // Case apart, because not every file system tells it.
  const isTaken = taken.has(plain.toLowerCase());
  taken.add(plain.toLowerCase());
  return isTaken ? `${plain}-${createHash("sha256").update(url).digest("hex").slice(0, 8)}.md` : `${plain}.md`;
}

function safePart(part: string): string {
  const safe = part.replace(/[^\w.-]+/g, "-").replace(/^\.+/, "");
  return safe === "" ? "-" : safe.slice(0, longestPart);
}

function toMarkdownFile({ url, title = "", markdown = "", data, note }: CrawledPage): string {
  const shownData = data === undefined ? [] : [`data: ${JSON.stringify(data)}`];
  const shownNote = note === undefined ? [] : [`note: ${JSON.stringify(note)}`];
  return [
    "---",
    `title: ${JSON.stringify(title)}`,
    `url: ${JSON.stringify(url)}`,
    ...shownData,
    ...shownNote,
    "---",
    "",
    markdown,
    "",
  ].join("\n");
}
