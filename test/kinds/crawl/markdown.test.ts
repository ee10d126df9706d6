import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDocument } from "../../../src/kinds/crawl/parse/read-document.ts";
import { toMarkdown } from "../../../src/kinds/crawl/parse/to-markdown.ts";

const folder = join(import.meta.dirname, "golden");
const names = readdirSync(folder).filter((name) => name.endsWith(".html"));

it.each(names)("Markdown of %s is as it was found good", async (name) => {
  const { content } = readDocument(
    readFileSync(join(folder, name), "utf8"),
    "https://journal.example/essays/rivers.html",
  );
  await expect(`${toMarkdown(content)}\n`).toMatchFileSnapshot(join(folder, name.replace(/html$/, "md")));
});

it("hostile pages end, and say something", () => {
  const deep = 20_000;
  const pages = [
    `${"<div>".repeat(deep)}end`,
    `${"<p><b><i>".repeat(deep)}end`,
    `<table>${"<tr><td>x".repeat(deep)}</table>end`,
    `${"<ul><li>".repeat(2_000)}end`,
    `<a href="${"x/".repeat(100_000)}">end</a>`,
    `${"<".repeat(100_000)}<p>end`,
    `${"&".repeat(200_000)}end`,
    `<pre>${"`".repeat(100_000)}</pre>end`,
    `${"<blockquote>".repeat(500)}end`,
    `<!--${"-".repeat(200_000)}--><p>end`,
  ];
  const silent = pages.filter((page) => !toMarkdown(readDocument(page, "https://a.example/").content).includes("end"));
  // Not the pages themselves: a failure would print all of them.
  expect(silent.map((page) => page.slice(0, 20))).toEqual([]);
});

it("elements that are nested too deep are left out, their content stays, and what comes after is as it should be", () => {
  const [open, close] = ["<div>".repeat(600), "</div>".repeat(600)];
  const html = `${open}<b>deep</b><script>hidden()</script> text${close}<p><b>after</b></p>`;
  expect(toMarkdown(readDocument(html, "https://a.example/").content)).toBe("deep text\n\n**after**");
});

it("a table that would be far larger than its page ends with what is wanted", () => {
  const html = `<table><tr>${"<td>wide".repeat(20_000)}</tr>${"<tr><td>y</tr>".repeat(20_000)}</table>`;
  const markdown = toMarkdown(readDocument(html, "https://a.example/").content, 500_000);
  expect(markdown.startsWith("| wide | wide |")).toBe(true);
  expect(markdown.length).toBeLessThan(600_000);
});
