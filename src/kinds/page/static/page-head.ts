import type { Attributes } from "./element-list.ts";

const maxMeta = 200;
const maxSources = 1_000;
const maxSheets = 100;
const maxInsecure = 50;
const longestTitle = 2_000;
const maxCss = 2_000_000;

/** What a page says about itself, and what it loads. */
export class PageHead {
  title = "";
  language: string | undefined;
  scripts = 0;
  blockingScripts = 0;
  /** Of scripts and style sheets, in the order of the page. */
  readonly sources: string[] = [];
  readonly scriptSources: string[] = [];
  readonly sheets: string[] = [];
  /** The text of style elements. */
  readonly styles: string[] = [];
  readonly insecure: string[] = [];
  readonly #meta = new Map<string, string>();
  readonly #links = new Map<string, string>();
  #css = 0;
  #capture: "title" | "style" | undefined;
  #hasTitle = false;

  meta(name: string): string {
    return this.#meta.get(name) ?? "";
  }

  /** Where the first link of a relation leads. */
  link(relation: string): string {
    return this.#links.get(relation) ?? "";
  }

  openTag(name: string, attributes: Attributes, isInHead: boolean): void {
    const { src } = attributes;
    if (src?.startsWith("http:") === true && this.insecure.length < maxInsecure) this.insecure.push(src);
    if (name === "html") this.language ??= attributes["lang"] ?? "";
    else if (name === "meta") this.#addMeta(attributes);
    else if (name === "link") this.#addLink(attributes);
    else if (name === "script") this.#addScript(attributes, isInHead);
    else if (name === "style") this.#beginStyle();
    else if (name === "title" && !this.#hasTitle) this.#capture = name;
  }

  /** Answers whether it was for the head alone. */
  addText(text: string): boolean {
    if (this.#capture === "title" && this.title.length < longestTitle) this.title += text.slice(0, longestTitle);
    if (this.#capture === "style" && this.#css < maxCss) {
      this.styles.push((this.styles.pop() ?? "") + text);
      this.#css += text.length;
    }
    return this.#capture !== undefined;
  }

  closeTag(name: string): void {
    if (this.#capture !== name) return;
    if (name === "title") this.#hasTitle = true;
    this.#capture = undefined;
  }

  #beginStyle(): void {
    this.#capture = "style";
    this.styles.push("");
  }

  #addMeta({ name, property, content = "" }: Attributes): void {
    for (const key of [name, property]) {
      if (key !== undefined && this.#meta.size < maxMeta && !this.#meta.has(key)) this.#meta.set(key, content);
    }
  }

  #addLink({ rel = "", href }: Attributes): void {
    const relations = rel.slice(0, longestTitle).toLowerCase().split(/\s+/);
    for (const relation of relations) {
      if (this.#links.size < maxMeta && !this.#links.has(relation)) this.#links.set(relation, href ?? "");
    }
    if (!relations.includes("stylesheet")) return;
    if (this.sources.length < maxSources) this.sources.push(href ?? "");
    if (href !== undefined && this.sheets.length < maxSheets) this.sheets.push(href);
  }

  #addScript({ src, type = "", async: isAsync, defer }: Attributes, isInHead: boolean): void {
    this.scripts += 1;
    if (src === undefined) return;
    if (this.sources.length < maxSources) this.sources.push(src);
    if (this.scriptSources.length < maxSources) this.scriptSources.push(src);
    const isLater = isAsync !== undefined || defer !== undefined || type.toLowerCase() === "module";
    if (isInHead && !isLater) this.blockingScripts += 1;
  }
}
