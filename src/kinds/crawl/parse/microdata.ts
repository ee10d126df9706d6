import type { Json } from "../../../job/json.ts";
import { noAttributes, type Attributes } from "./element-rules.ts";

type Item = { [property: string]: Json };

const maxItems = 200;
const longestValue = 5_000;

/** Gathers schema.org microdata from the events of one parse. */
export class Microdata {
  /** Those that belong to no other item. */
  readonly items: Item[] = [];
  readonly #open: { readonly depth: number; readonly item: Item }[] = [];
  #capture: { readonly depth: number; readonly property: string; text: string } | undefined;
  #depth = 0;
  #made = 0;

  openTag(name: string, attributes: Attributes): void {
    const depth = this.#depth++;
    if (attributes === noAttributes) return;
    const { itemprop, itemtype } = attributes;
    if (attributes["itemscope"] !== undefined && this.#made < maxItems) {
      this.#made += 1;
      const item: Item = itemtype === undefined ? {} : { "@type": itemtype.split("/").at(-1) ?? itemtype };
      if (itemprop !== undefined && this.#open.length > 0) this.#add(itemprop, item);
      else this.items.push(item);
      this.#open.push({ depth, item });
    } else if (itemprop !== undefined && this.#open.length > 0) {
      const value = valueOf(name, attributes);
      if (value === undefined) this.#capture ??= { depth, property: itemprop, text: "" };
      else this.#add(itemprop, value);
    }
  }

  text(text: string): void {
    if (this.#capture !== undefined && this.#capture.text.length < longestValue) this.#capture.text += text;
  }

  closeTag(): void {
    const depth = --this.#depth;
    if (this.#capture?.depth === depth) {
      const { property, text } = this.#capture;
      this.#capture = undefined;
      this.#add(property, text.replace(/\s+/g, " ").trim());
    }
    if (this.#open.at(-1)?.depth === depth) this.#open.pop();
  }

  #add(properties: string, value: Json): void {
    const item = this.#open.at(-1)?.item;
    if (item === undefined) return;
    for (const property of properties.split(/\s+/)) {
      const before = item[property];
      if (property === "__proto__") continue;
      if (before === undefined) item[property] = value;
      else if (Array.isArray(before)) before.push(value);
      else item[property] = [before, value];
    }
  }
}

function valueOf(name: string, attributes: Attributes): string | undefined {
  const { content, href, src, datetime, value } = attributes;
  if (content !== undefined) return content;
  if (name === "a" || name === "link") return href;
  if (name === "img" || name === "source" || name === "iframe") return src;
  if (name === "time") return datetime;
  return name === "data" || name === "meter" ? value : undefined;
}
