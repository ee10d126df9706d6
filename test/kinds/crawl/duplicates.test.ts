import { describe, expect, it } from "vitest";
import { Duplicates } from "../../../src/kinds/crawl/site/similarity.ts";
import type { ParsePlan } from "../../../src/kinds/crawl/parse/parse-plan.ts";
import { compilePlan, parsePage } from "../../../src/kinds/crawl/parse/parse-page.ts";
import { prose } from "./site.ts";

const address = "https://a.example/";

/** What a crawl says of the second page once it has the first. */
async function judge(
  first: string,
  second: string,
  { urls = [address, address], ...plan }: Partial<ParsePlan> & { urls?: [string, string] } = {},
): Promise<"exact" | "near" | undefined> {
  const compiled = await compilePlan({ fields: ["markdown"], ...plan });
  const parse = (html: string, url: string): ReturnType<typeof parsePage> =>
    parsePage({ body: Buffer.from(html), contentType: "text/html", url, plan: "" }, compiled);
  const duplicates = new Duplicates();
  const known = parse(first, urls[0]);
  duplicates.add(known.contentHash, known.fingerprint, 0);
  const { contentHash, fingerprint } = parse(second, urls[1]);
  return duplicates.find(contentHash, fingerprint)?.of;
}

function page(body: string, title = "Title"): string {
  return `<title>${title}</title><main>${body}</main>`;
}

it("a page that says the same but for a few words is a near-duplicate, wherever it leads and whatever counter it shows", async () => {
  const text = prose(1, 800);
  expect(await judge(page(text), page(text))).toBe("exact");
  expect(await judge(page(text), page(text.replace("cedar", "stone")))).toBe("near");
  expect(await judge(page(`${text} Seen 17 times`), page(`${text} Seen 18 times`))).toBe("near");
  expect(await judge(page(text), page(text.replace("cedar", `<a href="/x">cedar</a>`)))).toBe("near");
});

it("pages that share all but a sentence of a long text are two pages", async () => {
  const words = prose(1, 5_000).split(" ");
  const second = [...words.slice(0, 2_000), ...prose(2, 12).split(" "), ...words.slice(2_000)].join(" ");
  expect(await judge(page(words.join(" ")), page(second))).toBeUndefined();
});

it("pages with most of their text in common and titles of their own are two pages", async () => {
  const words = prose(1, 500).split(" ");
  const [first, second] = [words.slice(0, 486).join(" "), words.slice(11, 497).join(" ")];
  expect(await judge(page(`<h1>Page 1</h1>${first}`, "Page 1"), page(`<h1>Page 2</h1>${second}`, "Page 2"))).toBe(
    undefined,
  );
  expect(await judge(page(first, "Page 1"), page(first, "Page 2"))).toBeUndefined();
});

it("pages that differ only behind a long beginning are two pages", async () => {
  const beginning = prose(1, 8_000);
  expect(await judge(page(beginning + prose(2, 500)), page(beginning + prose(3, 500)))).toBeUndefined();
});

it("pages whose words are mostly the same row, over and over, are told apart by the others", async () => {
  const rows = "<p>Add this offer to the basket now</p>".repeat(300);
  expect(await judge(page(rows + prose(2, 150)), page(rows + prose(3, 150)))).toBeUndefined();
});

it("pages that repeat themselves are told apart by what they repeat", async () => {
  const repeat = (word: string): string => page(`${word} and more of it `.repeat(500), "");
  expect(await judge(repeat("river"), repeat("stone"))).toBeUndefined();
});

it("in a short text every word counts", async () => {
  const text = prose(1, 60);
  expect(await judge(page(`${text} 17`), page(`${text} 18`))).toBeUndefined();
});

const lamp = (colour: string, price: string): string => `<h2>${colour}</h2><p>It costs ${price} in ${colour}.</p>`;

describe("a page that says something else in a word or two is kept", () => {
  const text = prose(1, 300);
  const jsonLd = (facts: object): string => `<script type="application/ld+json">${JSON.stringify(facts)}</script>`;
  const product = (offer: object): string =>
    jsonLd({ "@type": "Product", name: "Lamp", offers: { "@type": "Offer", ...offer } });
  it.each([
    ["a colour and a price", text + lamp("Blue", "20 €"), text + lamp("Red", "25 €")],
    ["a price in running text", `${text} for 20.00 each ${text}`, `${text} for 25.00 each ${text}`],
    ["a price with its currency in front", `${text} for $20 each ${text}`, `${text} for $25 each ${text}`],
    ["a measure", `${text} weighs 20 kg in all ${text}`, `${text} weighs 25 kg in all ${text}`],
    ["a label", `<p>${text}</p><p>Colour: blue</p>`, `<p>${text}</p><p>Colour: red</p>`],
    ["a number behind a label", `<p>${text}</p><p>Size: 20</p>`, `<p>${text}</p><p>Size: 25</p>`],
    ["a list item", `<p>${text}</p><ul><li>in blue</li></ul>`, `<p>${text}</p><ul><li>in red</li></ul>`],
    ["its heading", `<h1>Model 17</h1>${text}`, `<h1>Model 18</h1>${text}`],
    [
      "a cell of a table",
      `<p>${text}</p><table><tr><th>Year</th><th>Sold</th></tr><tr><td>first</td><td>17</td></tr></table>`,
      `<p>${text}</p><table><tr><th>Year</th><th>Sold</th></tr><tr><td>first</td><td>18</td></tr></table>`,
    ],
    ["its price in JSON-LD", product({ price: 20 }) + text, product({ price: 25 }) + text],
    ["its article number in JSON-LD", jsonLd({ sku: "a/1" }) + text, jsonLd({ sku: "a/2" }) + text],
    [
      "whether it is available, in microdata",
      `<div itemscope itemtype="https://schema.org/Offer"><link itemprop="availability" href="https://schema.org/InStock"></div>${text}`,
      `<div itemscope itemtype="https://schema.org/Offer"><link itemprop="availability" href="https://schema.org/OutOfStock"></div>${text}`,
    ],
    [
      "its price in Open Graph",
      `<meta property="product:price:amount" content="20">${text}`,
      `<meta property="product:price:amount" content="25">${text}`,
    ],
  ])("%s", async (_what, first, second) => {
    expect(await judge(page(first), page(second))).toBeUndefined();
  });

  it("the word that its address names", async () => {
    const [blue, red] = [`${text} blue ${text}`, `${text} red ${text}`];
    const urls = (first: string, second: string): [string, string] => [address + first, address + second];
    expect(await judge(page(blue), page(red), { urls: urls("lamp-blue", "lamp-red") })).toBeUndefined();
    expect(await judge(page(blue), page(red), { urls: urls("lamp?color=blue", "lamp?color=red") })).toBeUndefined();
    expect(await judge(page(blue), page(red), { urls: urls("lamp/1", "lamp/2") })).toBe("near");
    expect(await judge(page(blue), page(blue), { urls: urls("lamp-blue", "lamp-red") })).toBe("exact");
  });

  it("data that a schema or selectors have found", async () => {
    const shown = (price: number): string => page(`${text}<span hidden class="price" data-price="${price}"></span>`);
    const selectors = { price: ".price@data-price" };
    expect(await judge(shown(20), shown(25))).toBe("exact");
    expect(await judge(shown(20), shown(25), { selectors })).toBeUndefined();
    expect(await judge(shown(20), shown(25), { selectors, schema: { price: "number" } })).toBeUndefined();
    expect(await judge(shown(20), shown(20), { selectors })).toBe("exact");
    const urls: [string, string] = [`${address}1`, `${address}2`];
    expect(await judge(shown(20), shown(20), { schema: { title: "string", url: "string" }, urls })).toBe("exact");
  });

  it("its language", async () => {
    const inLanguage = (language: string): string => `<html lang="${language}">${page(text)}</html>`;
    expect(await judge(inLanguage("en"), inLanguage("da"))).toBeUndefined();
    expect(await judge(inLanguage("en-GB"), inLanguage("EN"))).toBe("exact");
  });

  it("its place among the languages of a site", async () => {
    const alternate = (language: string, path: string): string =>
      `<link rel="alternate" hreflang="${language}" href="${address}${path}">`;
    const all = alternate("en-GB", "gb") + alternate("en-US", "us");
    const urls: [string, string] = [`${address}gb`, `${address}us`];
    expect(await judge(all + page(text), all + page(text), { urls })).toBeUndefined();
    expect(await judge(alternate("en-US", "us") + page(text), alternate("en-GB", "gb") + page(text), { urls })).toBe(
      undefined,
    );
    const canonical = `<link rel="canonical" href="${address}gb">`;
    const again: [string, string] = [`${address}gb`, `${address}gb?from=mail`];
    expect(await judge(all + canonical + page(text), all + canonical + page(text), { urls: again })).toBe("exact");
  });
});

describe("what is different at every visit makes no other page", () => {
  const text = `<p>${prose(1, 300)}</p>`;
  const jsonLd = (facts: object): string => `<script type="application/ld+json">${JSON.stringify(facts)}</script>`;
  it.each([
    ["a counter", "<p>Visitors: 1,017</p>", "<p>Visitors: 1,018</p>"],
    ["a counter in a line of its own", "<p>17 people have seen this</p>", "<p>18 people have seen this</p>"],
    ["a date", "<p>Updated 3 May 2026</p>", "<p>Updated 4 June 2026</p>"],
    ["a date in figures", "<p>Stand: 19.11.2026</p>", "<p>Stand: 20.11.2026</p>"],
    ["a time", "<p>Generated at 2026-11-19T06:12:33Z</p>", "<p>Generated at 2026-11-19T07:13:34Z</p>"],
    ["an age", "<p>changed 3 hours ago</p>", "<p>changed 2 days ago</p>"],
    ["a token", "<p>Request 7f3a9b2c1d4e5f60</p>", "<p>Request 8a1b2c3d4e5f6071</p>"],
  ])("%s", async (_what, first, second) => {
    expect(await judge(page(text + first), page(text + second))).toBe("near");
  });

  it("times, counters and addresses that it tells machines", async () => {
    const facts = (visit: number): string =>
      jsonLd({
        "@type": "Product",
        name: "Lamp",
        url: `https://a.example/lamp?visit=${visit}`,
        dateModified: `2026-11-0${visit}`,
        interactionStatistic: { userInteractionCount: visit },
        offers: { price: 20, priceValidUntil: `2027-01-0${visit}` },
      });
    expect(await judge(facts(1) + page(text), facts(2) + page(text))).toBe("exact");
  });
});
