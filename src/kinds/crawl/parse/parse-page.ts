import type { CheerioAPI } from "cheerio/slim";
import type { Json } from "../../../job/json.ts";
import { decodeText } from "../../../net/fetch/decode-text.ts";
import { normaliseUrl } from "../site/page-url.ts";
import { createScope, type Scope } from "../site/scope.ts";
import { hashWords, TextSketch } from "../site/similarity.ts";
import { hashText } from "../site/hash-set.ts";
import type { DataShape } from "./data-shape.ts";
import { fillShape, judgeData, type ExtractedData } from "./fill-shape.ts";
import type { ParsedPage, ParsePlan, ParseRequest } from "./parse-plan.ts";
import { readDocument, type ReadDocument } from "./read-document.ts";
import { guessFields, readSelector, selectFields } from "./select-data.ts";
import { toMarkdown } from "./to-markdown.ts";
import { parseUrl } from "../../../job/parse-url.ts";

const longestMarkdown = 1_000_000;
const maxLinksShown = 1_000;
const maxItems = 1_000;
/** A page with less text than this and with scripts is taken for one that is made in the browser. */
const scriptedWords = 20;

/** A plan with everything made that its pages share. */
export interface CompiledPlan {
  readonly plan: ParsePlan;
  readonly isInScope: Scope;
  readonly shape: DataShape | undefined;
  readonly load: ((html: string) => CheerioAPI) | undefined;
}

export async function compilePlan(plan: ParsePlan): Promise<CompiledPlan> {
  const needsDocument = [plan.selectors, plan.listSelector, plan.nextSelector].some((part) => part !== undefined);
  return {
    plan,
    isInScope: plan.scope === undefined ? () => false : await createScope(plan.scope),
    shape: plan.schema === undefined ? undefined : (await import("./data-shape.ts")).readShape(plan.schema),
    load: needsDocument ? (await import("cheerio/slim")).load : undefined,
  };
}

export function parsePage({ body, contentType, url, template }: ParseRequest, compiled: CompiledPlan): ParsedPage {
  const { plan, isInScope } = compiled;
  const { text } = decodeText(body, contentType);
  const isHtml = isHtmlType(contentType, text);
  const document = readDocument(isHtml ? text : "", url);
  const whole = isHtml ? toMarkdown(document.content, longestMarkdown) : text.trim();
  // Which page it is must not depend on what was known of the site when it came.
  const identity = whole.slice(0, longestMarkdown);
  const sketch = new TextSketch();
  hashWords(identity, (hash) => sketch.add(hash));
  const own = ownMarkdown(document, template);
  const markdown = own?.markdown ?? identity;
  const words = own?.words ?? sketch.words;
  const titleHash = hashText(document.title);
  const selected = compiled.load === undefined ? undefined : select(compiled.load(text), compiled, url);
  const followed = document.isNofollow
    ? []
    : document.links.filter((link) => !link.isNofollow && isInScope(link.url)).map((link) => link.url);
  const fields = {
    description: document.description,
    language: document.language,
    words,
    ...(plan.fields.includes("markdown") ? { markdown } : {}),
    ...(own === undefined && markdown.length < whole.length ? { is_cut: true } : {}),
    ...(own === undefined ? {} : { left_out: own.leftOut }),
    ...(plan.fields.includes("links") ? { links: document.links.slice(0, maxLinksShown).map((link) => link.url) } : {}),
    ...(plan.fields.includes("metadata") ? { metadata: document.metadata } : {}),
    ...(plan.fields.includes("html") ? { html: text } : {}),
    ...extract(document, selected, compiled, url),
  };
  return {
    fields: JSON.stringify(fields).slice(1),
    title: document.title,
    words,
    links: followed.join("\n"),
    linkHashes: hashAll(followed),
    contentHash: hashText(identity, titleHash),
    blocks: document.blocks,
    fingerprint: sketch.fingerprint(titleHash),
    canonical: document.canonical,
    next: selected?.next ?? document.next,
    isScripted: document.scripts > 0 && words < scriptedWords,
  };
}

interface OwnMarkdown {
  readonly markdown: string;
  readonly words: number;
  readonly leftOut: number;
}

/** The page without the blocks that are its site's; undefined if it has none, or nothing else. */
function ownMarkdown(document: ReadDocument, template: Int32Array | undefined): OwnMarkdown | undefined {
  const own = template === undefined ? undefined : document.contentWithout(template);
  if (own === undefined) return undefined;
  const markdown = toMarkdown(own.pieces, longestMarkdown).slice(0, longestMarkdown);
  let words = 0;
  hashWords(markdown, () => (words += 1));
  return words === 0 ? undefined : { markdown, words, leftOut: own.leftOut };
}

function hashAll(urls: readonly string[]): Float64Array {
  const hashes = new Float64Array(urls.length);
  urls.forEach((url, index) => {
    hashes[index] = hashText(url);
  });
  return hashes;
}

function isHtmlType(contentType: string, text: string): boolean {
  return /html|xml/i.test(contentType) || (!/^text\/(plain|markdown)/i.test(contentType) && /^\s*</.test(text));
}

interface Selected {
  readonly fields: { [name: string]: Json };
  readonly items: { [name: string]: Json }[] | undefined;
  readonly next: string | undefined;
}

function select($: CheerioAPI, { plan }: CompiledPlan, url: string): Selected {
  const base = normaliseUrl($("base[href]").attr("href") ?? "", url) ?? url;
  for (const attribute of ["href", "src"]) {
    $(`[${attribute}]`).each((_index, element) => {
      const target = parseUrl($(element).attr(attribute) ?? "", base);
      if (target !== undefined) $(element).attr(attribute, target.href);
    });
  }
  const selectors = plan.selectors ?? {};
  const items =
    plan.listSelector === undefined
      ? undefined
      : $(plan.listSelector)
          .toArray()
          .slice(0, maxItems)
          .map((element) => ({ ...guessFields($, $(element)), ...selectFields($, selectors, $(element)) }));
  const nextSelector = plan.nextSelector === undefined ? undefined : readSelector(plan.nextSelector);
  const nextHref =
    nextSelector === undefined
      ? undefined
      : $(nextSelector.selector)
          .first()
          .attr(nextSelector.attribute ?? "href");
  return {
    fields: items === undefined ? selectFields($, selectors, $.root()) : {},
    items,
    next: nextHref === undefined ? undefined : normaliseUrl(nextHref, base),
  };
}

/** Structured data: by selectors first, then what the page says about itself for machines. */
function extract(
  document: ReadDocument,
  selected: Selected | undefined,
  { plan, shape }: CompiledPlan,
  url: string,
): ExtractedData {
  if (selected?.items !== undefined) {
    const item = shape?.kind === "array" ? shape.item : shape;
    const take = (found: { [name: string]: Json }): Json[] => {
      const data = item === undefined ? chosen(found, plan) : fillShape(item, [found]);
      return data === undefined || item?.fits(data) === false ? [] : [data];
    };
    return { data: selected.items.flatMap(take) };
  }
  if (shape === undefined) return plan.selectors === undefined ? {} : { data: selected?.fields ?? {} };
  const { title, description, language, metadata } = document;
  const sources = [
    selected?.fields ?? {},
    ...metadata.json_ld,
    ...metadata.microdata,
    metadata.open_graph,
    metadata.meta,
    { title, name: title, headline: title, description, language, url },
  ] as Json[];
  return judgeData(fillShape(shape, sources) ?? null, shape);
}

/** Without a schema an item is what was selected, or else its likely fields. */
function chosen(found: { [name: string]: Json }, { selectors }: ParsePlan): { [name: string]: Json } {
  const names = selectors === undefined ? ["title", "url", "image", "price", "text"] : Object.keys(selectors);
  return Object.fromEntries(names.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]]])));
}
