import { decodeText } from "../../../net/fetch/decode-text.ts";
import { normaliseUrl } from "../site/page-url.ts";
import { hashWords } from "../site/similarity.ts";
import type { FrameBody, ParseRequest } from "./parse-plan.ts";
import { readDocument, type PageLink, type ReadDocument } from "./read-document.ts";
import { toMarkdown } from "./to-markdown.ts";

export const longestMarkdown = 1_000_000;

/** A page, or a frame of one. */
export interface PagePart {
  readonly text: string;
  readonly document: ReadDocument;
  readonly markdown: string;
}

/** A page with what it shows within it. Its text follows the page's own. */
export interface WholePage extends PagePart {
  /** For selectors: with the HTML of the frames. */
  readonly html: string;
  readonly hasFrames: boolean;
}

export function readWhole({ frames = [], ...page }: Omit<ParseRequest, "plan">): WholePage {
  const main = readPart(page);
  if (frames.length === 0) return { ...main, html: main.text, hasFrames: false };
  const framed = frames.map(readPart);
  return {
    text: main.text,
    html: joinTexts([main, ...framed].map(({ text }) => text)),
    document: withFrames(main, framed),
    markdown: joinTexts([main, ...framed].map(({ markdown }) => markdown)),
    hasFrames: true,
  };
}

function readPart({ url, body, contentType }: FrameBody): PagePart {
  const { text } = decodeText(body, contentType);
  const isHtml = isHtmlType(contentType, text);
  const document = readDocument(isHtml ? text : "", url);
  return { text, document, markdown: isHtml ? toMarkdown(document.content, longestMarkdown) : text.trim() };
}

function isHtmlType(contentType: string, text: string): boolean {
  return /html|xml/i.test(contentType) || (!/^text\/(plain|markdown)/i.test(contentType) && /^\s*</.test(text));
}

interface OwnMarkdown {
  readonly markdown: string;
  readonly words: number;
  readonly leftOut: number;
}

/** The page without the blocks that are its site's; undefined if it has none, or nothing else. */
export function ownMarkdown(document: ReadDocument, template: Int32Array | undefined): OwnMarkdown | undefined {
  const own = template === undefined ? undefined : document.contentWithout(template);
  if (own === undefined) return undefined;
  const markdown = toMarkdown(own.pieces, longestMarkdown).slice(0, longestMarkdown);
  let words = 0;
  hashWords(markdown, () => (words += 1));
  return words === 0 ? undefined : { markdown, words, leftOut: own.leftOut };
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** What a page says of itself, with the links and frames of what it shows within it. */
function withFrames({ document }: PagePart, framed: readonly PagePart[]): ReadDocument {
  const links = new Map<string, PageLink>();
  const parts = [document, ...framed.filter((part) => !part.document.isNofollow).map((part) => part.document)];
  for (const link of parts.flatMap((part) => part.links)) if (!links.has(link.url)) links.set(link.url, link);
  return {
    ...document,
    links: [...links.values()],
    frames: [...new Set(parts.flatMap(({ frames }) => frames))],
  };
}

/** Somebody who has little to say only leads on; at the end of a text a longer delay is for its readers. */
const fewWords = 50;
const atOnceSeconds = 5;
const longestDelaySeconds = 30;

/** Where a page leads by itself, as a redirect does. A page that loads itself again leads nowhere. */
export function findRefresh({ refresh }: ReadDocument, url: string, words: number): string | undefined {
  if (refresh === undefined || refresh.url === normaliseUrl(url)) return undefined;
  const longest = words < fewWords ? longestDelaySeconds : atOnceSeconds;
  return refresh.seconds <= longest ? refresh.url : undefined;
}

/** With fewer words, what is shown within a page is what it has to say. */
const framedWords = 20;

export function findFrames({ frames, making }: ReadDocument, url: string, words: number): readonly string[] {
  if (frames.length === 0 || (words >= framedWords && !making.isFrameset)) return [];
  return frames.filter((frame) => frame !== normaliseUrl(url));
}
