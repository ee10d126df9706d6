import { expect, it } from "vitest";
import { compilePlan, parsePage } from "../../../src/kinds/crawl/parse/parse-page.ts";
import type { ParsePlan } from "../../../src/kinds/crawl/parse/parse-plan.ts";

async function read(
  html: string,
  plan: Omit<ParsePlan, "fields">,
): Promise<{ data: unknown; next: string | undefined }> {
  const request = { body: Buffer.from(html), contentType: "text/html", url: "https://a.example/list/", plan: "" };
  const { fields, next } = parsePage(request, await compilePlan({ fields: [], ...plan }));
  return { data: (JSON.parse(`{${fields}`) as { data?: unknown }).data, next };
}

const list = `<base href="/shop/"><h1>Shop</h1><ul>
  <li class="item"><h3>Lamp <i>red</i></h3><a href="lamp">more</a> <b class="price">1.299,50 €</b></li>
  <li class="item"><h3>Bowl</h3><a href="bowl">more</a><img src="/bowl.png"> 20 USD</li>
  <li>none</li></ul><a rel="next" href="?page=2">on</a><input type="checkbox" checked><select><option>one</option></select>`;

it.each([
  ["li:first", "Lamp redmore 1.299,50 €"],
  ["li:last", "none"],
  ["li:eq(1) h3", "Bowl"],
  ["li:lt(2) h3", ["Lamp red", "Bowl"]],
  ["li:odd", "Bowlmore 20 USD"],
  ["h3:contains('Bow')", "Bowl"],
  ["li:has(> img) a@href", "https://a.example/shop/bowl"],
  ["li:not(.item)", "none"],
  ["h1 + ul > :nth-child(3)", "none"],
  ["img@src", "https://a.example/bowl.png"],
  [":header:first", "Shop"],
  ["input@checked", "checked"],
  ["input@value", "on"],
  ["option@value", "one"],
])("the selector %s finds what it names", async (selector, value) => {
  expect((await read(list, { selectors: { found: selector } })).data).toEqual({ found: value });
});

it("each element of a list is an item, with its likely fields where none are selected", async () => {
  const { data, next } = await read(list, { listSelector: "li.item", nextSelector: "a[rel=next]" });
  expect(data).toMatchObject([
    { title: "Lamp red", url: "https://a.example/shop/lamp", price: "1.299,50 €" },
    { title: "Bowl", url: "https://a.example/shop/bowl", price: "20 USD", image: "https://a.example/bowl.png" },
  ]);
  expect(next).toBe("https://a.example/shop/?page=2");
});

it("what is no selector is told", async () => {
  await expect(read(list, { selectors: { found: "li[" } })).rejects.toThrow(/Expected name/);
});

it.each([
  ["items in one another", "<div class=a>x", 500, { listSelector: "div" }],
  ["elements at the top", "</br>", 5_000, { selectors: { some: "p" } }],
  ["digits in one row", `<li>${"1".repeat(50_000)}`, 4, { listSelector: "li" }],
  [
    "elements that are found",
    "<p>x</p>",
    20_000,
    { selectors: { all: "p", last: "p:last", some: "p:contains(x) + p" } },
  ],
])("with four times the %s it takes about four times as long", async (_name, piece, count, plan) => {
  const costMs = async (times: number): Promise<number> => {
    const before = process.cpuUsage();
    await read(piece.repeat(times * count), plan);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  await costMs(1);
  const once = await costMs(1);
  expect(await costMs(4)).toBeLessThan(10 * once + 200);
});
