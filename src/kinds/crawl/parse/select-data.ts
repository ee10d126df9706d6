import type { CheerioAPI } from "cheerio/slim";
import type { Json } from "../../../job/json.ts";

type Selection = ReturnType<CheerioAPI>;

/** Values by CSS selectors: `h1`, or `a.more@href` for an attribute. What matches several times is a list. */
export function selectFields(
  $: CheerioAPI,
  selectors: Readonly<Record<string, string>>,
  within: Selection,
): { [name: string]: Json } {
  const found: { [name: string]: Json } = {};
  for (const [name, text] of Object.entries(selectors)) {
    const { selector, attribute } = readSelector(text);
    const values = within
      .find(selector)
      .toArray()
      .slice(0, 1_000)
      .map((element) => (attribute === undefined ? textOf($(element)) : ($(element).attr(attribute) ?? "")))
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

const moneyPattern = /(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥]|USD|EUR|GBP|CHF))/;

/** What an element of a list says about itself, for fields that have no selector. */
export function guessFields($: CheerioAPI, item: Selection): { [name: string]: Json } {
  const heading = textOf(item.find("h1,h2,h3,h4,h5,h6").first());
  const link = item.is("a") ? item : item.find("a[href]").first();
  const image = item.find("img[src]").first().attr("src");
  const money = moneyPattern.exec(item.text())?.[0];
  const title = heading === "" ? textOf(link) : heading;
  const href = link.attr("href");
  const found: { [name: string]: Json } = { text: textOf(item) };
  if (title !== "") Object.assign(found, { title, name: title });
  if (href !== undefined) Object.assign(found, { url: href, link: href });
  if (image !== undefined) found["image"] = image;
  if (money !== undefined) found["price"] = money;
  for (const element of item.find("[class],[itemprop]").toArray().slice(0, 200)) {
    const text = $(element).attr("content") ?? textOf($(element));
    const names = `${$(element).attr("class") ?? ""} ${$(element).attr("itemprop") ?? ""}`;
    for (const name of names.split(/\s+/)) if (/^[a-z]\w{1,40}$/i.test(name) && text !== "") found[name] ??= text;
  }
  return found;
}

function textOf(selection: Selection): string {
  return selection.text().replace(/\s+/g, " ").trim();
}
