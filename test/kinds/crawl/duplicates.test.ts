import { expect, it } from "vitest";
import { Duplicates } from "../../../src/kinds/crawl/site/similarity.ts";
import { compilePlan, parsePage } from "../../../src/kinds/crawl/parse/parse-page.ts";
import { prose } from "./site.ts";

/** What a crawl says of the second page once it has the first. */
async function judge(first: string, second: string): Promise<"exact" | "near" | undefined> {
  const plan = await compilePlan({ fields: ["markdown"] });
  const parse = (html: string): ReturnType<typeof parsePage> =>
    parsePage({ body: Buffer.from(html), contentType: "text/html", url: "https://a.example/", plan: "" }, plan);
  const duplicates = new Duplicates();
  const known = parse(first);
  duplicates.add(known.contentHash, known.fingerprint);
  const { contentHash, fingerprint } = parse(second);
  return duplicates.find(contentHash, fingerprint);
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
