import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readDocument } from "../../src/kinds/crawl/parse/read-document.ts";
import { toMarkdown } from "../../src/kinds/crawl/parse/to-markdown.ts";

/** Takes the text of the article from a page: what is timed, and what is compared. */
export interface Extractor {
  readonly name: string;
  readonly extract: (html: string, url: string) => unknown;
  readonly toText: (extracted: unknown) => string;
}

interface Article {
  readonly content?: string;
  readonly textContent?: string;
}

/** As much of the peers as is used here. */
interface Peers {
  readonly Readability: new (document: object) => { readonly parse: () => Article | null };
  readonly Defuddle: (document: object, url: string) => Promise<Article>;
  readonly parseHTML: (html: string) => { readonly document: { readonly body?: { readonly textContent?: string } } };
}

export const longhaul: Extractor = {
  name: "longhaul",
  extract: (html, url) => toMarkdown(readDocument(html, url).content),
  toText: (markdown) => toPlainText(markdown as string),
};

export async function loadPeers(): Promise<readonly Extractor[]> {
  const file = pathToFileURL(resolve("bench/extract/peer/index.js")).href;
  const { Readability, Defuddle, parseHTML } = (await import(file)) as Peers;
  return [
    {
      name: "Readability",
      extract: (html) => new Readability(parseHTML(html).document).parse(),
      toText: (article) => (article as Article | null)?.textContent ?? "",
    },
    {
      name: "defuddle",
      extract: (html, url) => Defuddle(parseHTML(html).document, url),
      // Blocks end words, which the text of a document does not show.
      toText: (article) =>
        parseHTML(`<html><body>${((article as Article).content ?? "").replaceAll("<", " <")}</body></html>`).document
          .body?.textContent ?? "",
    },
  ];
}

/** Markdown without its signs and addresses. */
function toPlainText(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\]\((?:[^()]|\([^()]*\))*\)/g, " ")
    .replace(/\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/g, " ")
    .replace(/[*`\\]/g, "")
    .replace(/[[\]#>|]/g, " ");
}
