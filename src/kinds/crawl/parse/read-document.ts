import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";
import { BoundedParser } from "../../../text/html/bounded-parser.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import { isPlainPath, normaliseUrl, originOf } from "../site/page-url.ts";
import type { Piece } from "./content-piece.ts";
import { ContentWriter } from "./content-writer.ts";
import { orNoAttributes, type Attributes } from "./element-rules.ts";
import type { PageContent } from "./page-content.ts";
import { Microdata } from "./microdata.ts";
import type { Alternate } from "./page-language.ts";
import { PageSigns, type Making } from "./page-signs.ts";

export interface PageLink {
  readonly url: string;
  readonly isNofollow: boolean;
}

/** All that one pass over a page yields. */
export interface ReadDocument {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly canonical: string | undefined;
  /** By hreflang, itself among them as a rule. */
  readonly alternates: readonly Alternate[];
  /** `rel=next`. */
  readonly next: string | undefined;
  readonly isNofollow: boolean;
  /** In the order of the page, each once. */
  readonly links: readonly PageLink[];
  readonly metadata: PageMetadata;
  /** The main content, cleaned. */
  readonly content: readonly Piece[];
  /** Hashes of the blocks in it that are the site's, not the page's, if other pages have them as well. */
  readonly blocks: Int32Array;
  /** The content without such blocks; undefined if it has none of them. */
  readonly contentWithout: PageContent["without"];
  readonly making: Making;
  /** Where the page leads by itself, and after how many seconds. */
  readonly refresh: { readonly seconds: number; readonly url: string } | undefined;
  /** Addresses of its frames. */
  readonly frames: readonly string[];
}

export interface PageMetadata {
  readonly meta: Readonly<Record<string, string>>;
  readonly open_graph: Readonly<Record<string, string>>;
  readonly json_ld: readonly Json[];
  readonly microdata: readonly Json[];
}

const maxLinks = 5_000;
const maxAlternates = 100;
const maxMeta = 200;
const longestMeta = 5_000;
const longestTitle = 1_000;
const longestPlain = 1_000;
const longestScript = 500_000;

export function readDocument(html: string, url: string): ReadDocument {
  const reader = new DocumentReader(url);
  const parser = new BoundedParser(
    {
      onopentag: (name, attributes) => reader.openTag(name, orNoAttributes(attributes)),
      ontext: (text) => reader.text(text),
      onclosetag: (name) => reader.closeTag(name),
    },
    () => reader.depth,
  );
  parser.write(html);
  parser.end();
  return reader.result();
}

class DocumentReader {
  readonly #content: ContentWriter;
  readonly #microdata = new Microdata();
  readonly #signs = new PageSigns();
  readonly #links = new Map<string, PageLink>();
  readonly #meta: Record<string, string> = Object.create(null) as Record<string, string>;
  readonly #openGraph: Record<string, string> = Object.create(null) as Record<string, string>;
  readonly #jsonLd: Json[] = [];
  readonly #alternates: Alternate[] = [];
  #base: string;
  #last: { readonly reference: string; readonly base: string; readonly url: string | undefined } | undefined;
  #title: string | undefined;
  #language = "";
  #canonical: string | undefined;
  #next: string | undefined;
  #metaCount = 0;
  #capture: { readonly name: "title" | "script"; text: string } | undefined;

  constructor(url: string) {
    this.#base = url;
    this.#content = new ContentWriter(
      (reference) => this.#plain(reference) ?? resolveReference(reference, this.#base),
      url,
    );
  }

  get depth(): number {
    return this.#content.depth;
  }

  openTag(name: string, attributes: Attributes): void {
    this.#signs.openTag(name, attributes, this.depth);
    this.#content.openTag(name, attributes);
    this.#microdata.openTag(name, attributes);
    switch (name) {
      case "a":
      case "area":
        this.#addLink(attributes);
        break;
      case "html":
        this.#language = (attributes["lang"] ?? attributes["xml:lang"] ?? "").trim().slice(0, 35);
        break;
      case "base":
        this.#base = resolveReference(attributes["href"] ?? "", this.#base) ?? this.#base;
        break;
      case "meta":
        this.#addMeta(attributes);
        break;
      case "link":
        this.#addRelation(attributes);
        break;
      case "title":
        if (this.#title === undefined) this.#capture = { name, text: "" };
        break;
      case "script":
        if (/^application\/ld\+json/i.test(attributes["type"] ?? "")) this.#capture = { name, text: "" };
        break;
      default:
    }
  }

  text(text: string): void {
    if (this.#capture !== undefined && this.#capture.text.length < longestScript) this.#capture.text += text;
    this.#microdata.text(text);
    this.#signs.text(text);
    this.#content.text(text);
  }

  closeTag(name: string): void {
    this.#content.closeTag(name);
    this.#microdata.closeTag();
    this.#signs.closeTag(this.depth);
    if (this.#capture?.name !== name) return;
    const { text } = this.#capture;
    this.#capture = undefined;
    if (name === "title") this.#title = text.replace(/\s+/g, " ").trim().slice(0, longestTitle);
    else this.#addJsonLd(text);
  }

  result(): ReadDocument {
    const content = this.#content.content(this.#isArticle);
    const robots = (this.#meta["robots"] ?? "").toLowerCase();
    const making = this.#signs.result();
    return {
      title: this.#title ?? this.#openGraph["title"] ?? "",
      description: this.#meta["description"] ?? this.#openGraph["description"] ?? "",
      language: this.#language,
      canonical: this.#canonical,
      alternates: this.#alternates,
      next: this.#next,
      isNofollow: /nofollow|none/.test(robots),
      links: [...this.#links.values()],
      metadata: {
        meta: this.#meta,
        open_graph: this.#openGraph,
        json_ld: this.#jsonLd,
        microdata: this.#microdata.items,
      },
      content: content.pieces,
      blocks: content.blocks,
      contentWithout: content.without,
      making,
      refresh: this.#toRefresh(making.refresh),
      frames: making.frames.flatMap((reference) => normaliseUrl(reference, this.#base) ?? []),
    };
  }

  /** Whether the page says of itself that it is a text which somebody published: news, a post, an essay. */
  get #isArticle(): boolean {
    const types = [...this.#jsonLd, ...this.#microdata.items].flatMap(typesOf);
    return (
      [this.#openGraph["type"], ...types].some((type) => typeof type === "string" && /article|posting/i.test(type)) ||
      this.#openGraph["article:published_time"] !== undefined
    );
  }

  #toRefresh(found: Making["refresh"]): ReadDocument["refresh"] {
    const url = found === undefined ? undefined : normaliseUrl(found.reference, this.#base);
    return found === undefined || url === undefined ? undefined : { seconds: found.seconds, url };
  }

  /** Most links are paths in their normal form, and each is wanted twice: to be shown and to be followed. */
  #plain(reference: string): string | undefined {
    if (this.#last?.reference !== reference || this.#last.base !== this.#base) {
      const url =
        reference.length < longestPlain && isPlainPath(reference) ? originOf(this.#base) + reference : undefined;
      this.#last = { reference, base: this.#base, url };
    }
    return this.#last.url;
  }

  #addLink({ href, rel = "" }: Attributes): void {
    if (href === undefined || this.#links.size >= maxLinks || href.startsWith("#")) return;
    const url = this.#plain(href) ?? normaliseUrl(href, this.#base);
    if (url === undefined) return;
    const relation = rel.toLowerCase();
    if (/(^|\s)next(\s|$)/.test(relation)) this.#next ??= url;
    if (!this.#links.has(url)) this.#links.set(url, { url, isNofollow: relation.includes("nofollow") });
  }

  #addMeta({ name, property, content }: Attributes): void {
    const key = (property ?? name ?? "").trim().toLowerCase().slice(0, 100);
    if (key === "" || content === undefined || ++this.#metaCount > maxMeta) return;
    const value = content.trim().slice(0, longestMeta);
    if (key.startsWith("og:")) this.#openGraph[key.slice(3)] ??= value;
    else if (/^(product|article|book|profile|music|video):/.test(key)) this.#openGraph[key] ??= value;
    else this.#meta[key] ??= value;
  }

  #addRelation({ rel = "", href, hreflang = "" }: Attributes): void {
    if (href === undefined) return;
    const relations = rel.toLowerCase().split(/\s+/);
    if (relations.includes("canonical")) this.#canonical ??= normaliseUrl(href, this.#base);
    if (relations.includes("next")) this.#next ??= normaliseUrl(href, this.#base);
    if (relations.includes("alternate") && hreflang !== "") this.#addAlternate(href, hreflang);
  }

  #addAlternate(href: string, hreflang: string): void {
    const language = hreflang.trim().toLowerCase().replaceAll("_", "-");
    if (this.#alternates.length >= maxAlternates || !/^[a-z\d-]{1,35}$/.test(language)) return;
    const url = normaliseUrl(href, this.#base);
    if (url !== undefined) this.#alternates.push({ url, language });
  }

  #addJsonLd(text: string): void {
    const value = tryParseJson(text) ?? [];
    for (const item of Array.isArray(value) ? value : [value]) this.#jsonLd.push(...flattenGraph(item));
  }
}

function typesOf(item: Json): Json[] {
  const type = isRecord(item) ? item["@type"] : undefined;
  return Array.isArray(type) ? type : [type ?? ""];
}

function flattenGraph(item: Json): Json[] {
  if (!isRecord(item)) return [];
  const graph = item["@graph"];
  return Array.isArray(graph) ? graph : [item];
}

/** The absolute address of a link or an image in the Markdown; the fragment stays, because it says where in a page. */
function resolveReference(reference: string, base: string): string | undefined {
  try {
    const { href, protocol } = new URL(reference.trim(), base);
    return /^(https?|mailto|tel):$/.test(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
