import type { CheerioAPI } from "cheerio/slim";
import type { Json } from "../../../job/json.ts";
import { normaliseUrl } from "../site/page-url.ts";
import { createScope, type Scope } from "../site/scope.ts";
import { hashWords, TextSketch } from "../site/similarity.ts";
import { hashText } from "../site/hash-set.ts";
import type { DataShape } from "./data-shape.ts";
import { fillShape, judgeData, type ExtractedData } from "./fill-shape.ts";
import type { ParsedPage, ParsePlan, ParseRequest } from "./parse-plan.ts";
import type { ReadDocument } from "./read-document.ts";
import { guessFields, readSelector, selectFields } from "./select-data.ts";
import { parseUrl } from "../../../job/parse-url.ts";
import { judgeMaking } from "./needs-browser.ts";
import { findFrames, findRefresh, joinTexts, longestMarkdown, readPart, withFrames } from "./page-parts.ts";

const maxLinksShown = 1_000;
const maxItems = 1_000;

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

export function parsePage({ frames = [], ...page }: ParseRequest, compiled: CompiledPlan): ParsedPage {
  const { plan, isInScope } = compiled;
  const { url } = page;
  const main = readPart(page);
  const framed = frames.map(readPart);
  const { text } = main;
  const document = framed.length === 0 ? main.document : withFrames(main, framed);
  const whole = framed.length === 0 ? main.markdown : joinTexts([main, ...framed].map(({ markdown: part }) => part));
  const markdown = whole.slice(0, longestMarkdown);
  const sketch = new TextSketch();
  hashWords(markdown, (hash) => sketch.add(hash));
  const { words } = sketch;
  const titleHash = hashText(document.title);
  const selected =
    compiled.load === undefined
      ? undefined
      : select(compiled.load(joinTexts([main, ...framed].map((part) => part.text))), compiled, url);
  const followed = document.isNofollow
    ? []
    : document.links.filter((link) => !link.isNofollow && isInScope(link.url)).map((link) => link.url);
  const fields = {
    description: document.description,
    language: document.language,
    words,
    ...(plan.fields.includes("markdown") ? { markdown } : {}),
    ...(markdown.length < whole.length ? { is_cut: true } : {}),
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
    contentHash: hashText(markdown, titleHash),
    fingerprint: sketch.fingerprint(titleHash),
    canonical: document.canonical,
    next: selected?.next ?? document.next,
    needsBrowser: judgeMaking(document.making, markdown, words),
    refresh: findRefresh(document, url, words),
    frames: findFrames(document, url, words),
  };
}

function hashAll(urls: readonly string[]): Float64Array {
  const hashes = new Float64Array(urls.length);
  urls.forEach((url, index) => {
    hashes[index] = hashText(url);
  });
  return hashes;
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
