import type { Json } from "../../../job/json.ts";
import type { PageMetadata } from "./read-document.ts";

const deepest = 12;
const maxFacts = 5_000;

/** What says which thing is meant, whatever its value looks like. */
const telling = /^(sku|mpn|gtin\d*|isbn|productid|retaileritemid|(start|end)(date|time))$/;
/** What changes from one visit to the next, or says where something lies. */
const passing =
  /^@|^(id|image|logo|photo|sameas|views?|mainentityofpage|potentialaction|seealso)|ur[li]$|thumbnail|interaction|(?<!dis|ac)count$|session|token|nonce|^date$|posted|modified|updated|published|created|timestamp|upload|expir|valid(until|from|through)/;
const address = /^(https?:)?\/\/(?!schema\.org\/)/i;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const randomText = /^(?=.*\d)(?=.*[a-z])[\w-]{24,}$/i;

/**
 * The facts that a page tells machines, such as a product's price and colour, as one text: the same for the same facts in
 * whatever order. Addresses, counters and times are left out: pages that differ in these alone say the same.
 */
export function factsOf(metadata: PageMetadata): string {
  const budget = { left: maxFacts };
  const { json_ld: jsonLd, microdata, open_graph: openGraph, meta } = metadata;
  const things = [...jsonLd, ...microdata].filter((thing) => !isBreadcrumb(thing));
  return textOf([things, openGraph, meta["description"] ?? ""], "", { budget, isPassing, depth: 0 });
}

/** Data that was asked for, as one text; the page's own addresses are no data. */
export function dataTextOf(data: Json | undefined, addresses: readonly (string | undefined)[]): string {
  if (data === undefined) return "";
  const isOwnAddress = (_key: string, value: string): boolean => addresses.includes(value);
  return textOf(data, "", { budget: { left: Infinity }, isPassing: isOwnAddress, depth: 0 });
}

interface Reading {
  readonly budget: { left: number };
  readonly isPassing: (key: string, value: string) => boolean;
  readonly depth: number;
}

function textOf(value: Json, key: string, reading: Reading): string {
  const { budget, depth } = reading;
  if (budget.left <= 0 || depth > deepest) return "";
  if (typeof value !== "object" || value === null) {
    budget.left -= 1;
    const text = String(value);
    return reading.isPassing(key, text) ? "" : JSON.stringify(text);
  }
  const below = { ...reading, depth: depth + 1 };
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, key, below)).join()}]`;
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${name}:${textOf(value[name] ?? null, name, below)}`).join()}}`;
}

function isPassing(key: string, value: string): boolean {
  const name = key.toLowerCase().replace(/[^a-z0-9@]/g, "");
  if (telling.test(name)) return false;
  return passing.test(name) || address.test(value) || instant.test(value) || randomText.test(value);
}

/** The same thing may be reached by several ways. */
function isBreadcrumb(thing: Json): boolean {
  return typeof thing === "object" && thing !== null && !Array.isArray(thing) && thing["@type"] === "BreadcrumbList";
}
