import type { Json } from "../../../job/json.ts";
import type { PageTree, TreeElement } from "./page-tree.ts";

const maxValues = 1_000;
const maxNamed = 200;
const longestNames = 2_000;
/** Items may hold all others, so each is looked at from its beginning. */
const maxLookedAt = 5_000;

/** Values by CSS selectors: `h1`, or `a.more@href` for an attribute. What matches several times is a list. */
export function selectFields(
  tree: PageTree,
  selectors: Readonly<Record<string, string>>,
  within?: TreeElement,
): { [name: string]: Json } {
  const found: { [name: string]: Json } = {};
  for (const [name, text] of Object.entries(selectors)) {
    const { selector, attribute } = readSelector(text);
    const values = tree
      .find(selector, within, maxValues)
      .map((element) => (attribute === undefined ? tree.text(element) : (tree.attribute(element, attribute) ?? "")))
      .filter((value) => value !== "");
    if (values.length > 0) found[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return found;
}

/** Selectors without `@attribute` select text. */
export function readSelector(text: string): { selector: string; attribute: string | undefined } {
  const match = /^(.*[^\\])@([a-z][\w:-]*)$/is.exec(text);
  return { selector: match?.[1] ?? text, attribute: match?.[2] };
}

/** Of a number that is longer than any price only the beginning counts: looking for its end from each of its digits takes forever. */
const moneyPattern = /(?:[$€£¥]\s?\d[\d.,]*|(?<![\d.,])\d(?:[\d.,]{0,30}\d)?\s?(?:[$€£¥]|USD|EUR|GBP|CHF))/;

/** What an element of a list says about itself, for fields that have no selector. */
export function guessFields(tree: PageTree, item: TreeElement): { [name: string]: Json } {
  const inside = tree.descendants(item, maxLookedAt);
  const textOf = (element: TreeElement | undefined): string => (element === undefined ? "" : tree.text(element));
  const heading = textOf(inside.find(({ name }) => /^h[1-6]$/.test(name)));
  const link =
    item.name === "a" ? item : inside.find(({ name, attribs }) => name === "a" && attribs["href"] !== undefined);
  const image = inside.find(({ name, attribs }) => name === "img" && attribs["src"] !== undefined)?.attribs["src"];
  const text = tree.text(item);
  const money = moneyPattern.exec(text)?.[0];
  const title = heading === "" ? textOf(link) : heading;
  const href = link?.attribs["href"];
  const found: { [name: string]: Json } = { text };
  if (title !== "") Object.assign(found, { title, name: title });
  if (href !== undefined) Object.assign(found, { url: href, link: href });
  if (image !== undefined) found["image"] = image;
  if (money !== undefined) found["price"] = money;
  const named = inside.filter(({ attribs }) => attribs["class"] !== undefined || attribs["itemprop"] !== undefined);
  for (const { element, names } of named.slice(0, maxNamed).map(withNames)) {
    const value = element.attribs["content"] ?? tree.text(element);
    for (const name of names) if (/^[a-z]\w{1,40}$/i.test(name) && value !== "") found[name] ??= value;
  }
  return found;
}

function withNames(element: TreeElement): { element: TreeElement; names: string[] } {
  const { class: classes = "", itemprop = "" } = element.attribs;
  return { element, names: `${classes} ${itemprop}`.slice(0, longestNames).split(/\s+/) };
}
