import type { Json } from "../../../job/json.ts";
import { normaliseUrl } from "../site/page-url.ts";
import { createScope, type Scope } from "../site/scope.ts";
import { hashText } from "../site/hash-set.ts";
import type { DataShape } from "./data-shape.ts";
import { fillShape, judgeData, type ExtractedData } from "./fill-shape.ts";
import { PageText } from "./page-identity.ts";
import { languageOfPage } from "./page-language.ts";
import type { PageTree } from "./page-tree.ts";
import type { ParsedPage, ParsePlan, ParseRequest } from "./parse-plan.ts";
import type { ReadDocument } from "./read-document.ts";
import { guessFields, readSelector, selectFields } from "./select-data.ts";
import { judgeMaking } from "./needs-browser.ts";
import { findFrames, findRefresh, longestMarkdown, ownMarkdown, readWhole } from "./page-parts.ts";

const maxLinksShown = 1_000;
const maxItems = 1_000;

/** A plan with everything made that its pages share. */
export interface CompiledPlan {
  readonly plan: ParsePlan;
  readonly isInScope: Scope;
  readonly shape: DataShape | undefined;
  /** Only plans with selectors need a tree. */
  readonly toTree: ((html: string) => PageTree) | undefined;
}

export async function compilePlan(plan: ParsePlan): Promise<CompiledPlan> {
  const needsTree = [plan.selectors, plan.listSelector, plan.nextSelector].some((part) => part !== undefined);
  const { PageTree: Tree } = needsTree ? await import("./page-tree.ts") : {};
  return {
    plan,
    isInScope: plan.scope === undefined ? () => false : await createScope(plan.scope),
    shape: plan.schema === undefined ? undefined : (await import("./data-shape.ts")).readShape(plan.schema),
    toTree: Tree && ((html) => new Tree(html)),
  };
}

export function parsePage(request: ParseRequest, compiled: CompiledPlan): ParsedPage {
  const { plan, isInScope, toTree } = compiled;
  const { url, language = "", template } = request;
  const { text, html, document: read, markdown: whole, hasFrames } = readWhole(request);
  const document = { ...read, language: languageOfPage(read, url) || language };
  // Which page it is must not depend on what was known of the site when it came.
  const pageText = new PageText(whole.slice(0, longestMarkdown), url);
  const own = hasFrames ? undefined : ownMarkdown(document, template);
  const { markdown, words } = own ?? pageText;
  const selected = toTree === undefined ? undefined : select(toTree(html), compiled, url);
  const followed = document.isNofollow ? [] : linksToFollow(document).filter((link) => isInScope(link));
  const extracted = extract(document, selected, compiled, url);
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
    ...extracted,
  };
  return {
    fields: JSON.stringify(fields).slice(1),
    title: document.title,
    words,
    links: followed.join("\n"),
    linkHashes: hashAll(followed),
    ...pageText.identity(document, extracted.data, url),
    blocks: document.blocks,
    canonical: document.canonical,
    alternates: document.alternates.filter((alternate) => isInScope(alternate.url)),
    next: selected?.next ?? document.next,
    needsBrowser: judgeMaking(document.making, pageText),
    refresh: findRefresh(document, url, pageText.words),
    frames: findFrames(document, url, pageText.words),
  };
}

/** Pages in other languages are linked to by their hreflang alone at times. */
function linksToFollow({ links, alternates }: ReadDocument): string[] {
  const followed = links.flatMap((link) => (link.isNofollow ? [] : [link.url]));
  return alternates.length === 0 ? followed : [...new Set([...followed, ...alternates.map(({ url }) => url)])];
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

function select(tree: PageTree, { plan }: CompiledPlan, url: string): Selected {
  const first = (selector: string, attribute: string): string | undefined => {
    const [element] = tree.find(selector, undefined, 1);
    return element && tree.attribute(element, attribute);
  };
  const base = normaliseUrl(first("base[href]", "href") ?? "", url) ?? url;
  tree.resolveAddresses(base);
  const selectors = plan.selectors ?? {};
  const items =
    plan.listSelector === undefined
      ? undefined
      : tree
          .find(plan.listSelector, undefined, maxItems)
          .map((element) => ({ ...guessFields(tree, element), ...selectFields(tree, selectors, element) }));
  const next = plan.nextSelector === undefined ? undefined : readSelector(plan.nextSelector);
  const nextHref = next === undefined ? undefined : first(next.selector, next.attribute ?? "href");
  return {
    fields: items === undefined ? selectFields(tree, selectors) : {},
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
