import { describe, expect, it } from "vitest";
import { readCss } from "../../../src/kinds/page/static/read-css.ts";
import { readDocument } from "../../../src/kinds/page/static/read-document.ts";
import { scanPage } from "../../../src/kinds/page/static/scan-page.ts";
import type { PageFacts } from "../../../src/kinds/page/facts.ts";

const base = "https://a.example/";

function read(html: string): PageFacts {
  const scan = scanPage(html);
  return readDocument(scan, base, true, readCss([...scan.head.styles, ...scan.inlineStyles], []));
}

/** Processor time, since others use the machine too. */
function costMs(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe("a page that is read without a browser", () => {
  it("is what stands outside of its head, whether it has a body or not", () => {
    const inside = `<header><h1>Hi <b>there</b></h1></header><p class="a b">One two <script>three()</script></p>`;
    for (const html of [
      `<html lang="de"><head><title>T</title><style>a{}</style></head><body>${inside}</body></html>`,
      `<html lang="de"><title>T</title><style>a{}</style>${inside}`,
    ]) {
      const { document } = read(html);
      expect(document).toMatchObject({ title: "T", language: "de", text: "Hi thereOne two", classes: ["a", "b"] });
      expect(document.headings).toEqual([{ level: 1, text: "Hi there" }]);
    }
  });

  it("has parts that lie in no other, and an article of sections is none itself", () => {
    const { sections } = read(
      `<main><article><section id="one"><h2>1</h2><p>a<p>b</section><section id="two"><nav><a href="/x">x</a></nav></section></article></main>
      <article id="three"><h1>3</h1><ul><li>a<li>b</ul><button>Go</button><a class="btn" href="/buy">Buy</a></article>
      <div role="contentinfo" id="four"><img src="a.png" alt="A"></div>`,
    );
    expect(sections.map(({ selector }) => selector)).toEqual(["#one", "#two", "#three", "#four"]);
    expect(sections[0]).toMatchObject({ heading: "1", paragraphs: 2, proseCharacters: 2, text: "1ab" });
    expect(sections[2]).toMatchObject({ hasTopHeading: true, buttons: 2, repeated: 2, links: 1 });
    expect(sections[2]?.content.buttons).toEqual([{ text: "Go", type: "button" }]);
    expect(sections[3]?.content.images).toEqual([{ src: "a.png", alt: "A" }]);
  });

  it("gives no link of a section that runs something when it is followed", () => {
    const { sections } = read(`<nav><a href="java&#10;script:alert(1)">a</a><a href="/b">b</a></nav>`);
    expect(sections[0]?.content.links.map(({ href }) => href)).toEqual(["", "/b"]);
  });

  it("gives facts that are bounded, whatever is in it", () => {
    const long = "x".repeat(1_000_000);
    const facts = read(
      `<html lang="${long}"><title>${long}</title><meta name="description" content="${long}"><link rel="icon" href="${long}">
      ${Array.from({ length: 3_000 }, (_, index) => `<x${index} class="c${index}">`).join("")}
      <style>${Array.from({ length: 5_000 }, (_, index) => `.a${index}:hover{animation:a${index} 1s;--v${index}:calc(1px + ${index}px)} @keyframes k${index}{to{left:0}} @media (min-width:${index}px){}`).join("")}</style>
      ${`<nav id="${long}" class="${"a ".repeat(100_000)}" aria-label="${long}"><input type="${long}"><a href="${long}" rel="${long}">${long}</a></nav>`.repeat(2)}`,
    );
    expect(JSON.stringify(facts).length).toBeLessThan(2_000_000);
  });

  it("beyond 200,000 elements is only counted", () => {
    const { document } = read("<p>x".repeat(300_000));
    expect(document).toMatchObject({ elements: 300_000, examined: 200_000 });
  });

  it.each([
    ["parts in one another", "<article><p>x<a href=y>y</a>", 4_000],
    ["elements that nobody closed", "<table><b><i>x", 8_000],
    ["attributes", `<p class="${"a ".repeat(100)}" style="color:red">x`, 2_000],
    ["rules in one another", "<style>a{b:c;", 20_000],
    ["rules with long values", `<style>a{transition: ${"all  1s ".repeat(500)}}</style>`, 200],
    ["commas and brackets", `<style>a{transition:${"x(,".repeat(4_000)}}</style>`, 50],
    ["white space", `<section>${" ".repeat(1_000)}</section>`, 500],
  ])("with four times the %s takes about four times as long", (_name, piece, count) => {
    read(piece.repeat(count));
    const once = costMs(() => read(piece.repeat(count)));
    expect(costMs(() => read(piece.repeat(4 * count)))).toBeLessThan(10 * once + 200);
  });
});
