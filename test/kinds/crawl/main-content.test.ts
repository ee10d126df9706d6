import { describe, expect, it } from "vitest";
import { readDocument } from "../../../src/kinds/crawl/parse/read-document.ts";
import { toMarkdown } from "../../../src/kinds/crawl/parse/to-markdown.ts";

const sentence = "The river rose in the night, and by the morning it had reached the mill. ";
const paragraphs = ["First", "Second", "Third", "Fourth"].map((word) => `<p>${word}: ${sentence.repeat(3)}</p>`);
const articleType = '<meta property="og:type" content="article">';

function markdownOf(html: string): string {
  return toMarkdown(readDocument(html, "https://news.example/river.html").content);
}

function teaser(title: string): string {
  return `<div class="item"><h3><a href="/other/${title.length}">${title}</a></h3><p>${sentence}</p></div>`;
}

const teasers = ["Storm over the coast tonight", "Council votes on the bridge", "A mill is for sale again"].map(teaser);

describe("the main content of an article", () => {
  it("is its running text, without what the page has before, after and in it", () => {
    const markdown = markdownOf(`${articleType}<body>
      <div class="top-stories">${teasers.join("")}</div>
      <div class="story"><h1>The flood</h1><div class="byline">By A. Writer</div>
        <div class="story-body">${paragraphs[0]}${paragraphs[1]}
          <div class="related-links"><p>Read also: ${sentence}</p></div>
          <p><a href="/more">An older report about the flood of the year before</a></p>
          ${paragraphs[2]}<ul><li><a href="/a">Weather today</a></li><li><a href="/b">Weather tomorrow</a></li></ul>${paragraphs[3]}
        </div></div>
      <div id="comments"><p>${sentence.repeat(30)}</p></div>
      <div class="grid">${teasers.join("")}</div></body>`);
    expect(markdown.split("\n\n").map((block) => block.slice(0, 11))).toEqual([
      "# The flood",
      "First: The ",
      "Second: The",
      "Third: The ",
      "Fourth: The",
    ]);
  });

  it("is what schema.org calls its body, though there is more text elsewhere", () => {
    const markdown = markdownOf(`<body><div><div itemscope itemtype="https://schema.org/NewsArticle">
      <div itemprop="articleBody">${paragraphs.join("")}</div></div>
      <div class="archive">${`<p>Archive: ${sentence.repeat(2)}</p>`.repeat(8)}</div></div></body>`);
    expect(markdown).toContain("Fourth: ");
    expect(markdown).not.toContain("Archive: ");
  });

  it("keeps paragraphs that stand before the part in which the others are", () => {
    const markdown = markdownOf(`${articleType}<body><div class="article-content">
      <div class="lead-text">Lead: ${sentence.repeat(3)}</div>
      <div class="rest"><div class="wide">${paragraphs.join("")}</div></div></div></body>`);
    expect(markdown).toMatch(/^Lead: /);
  });

  it("keeps its lists, tables and code", () => {
    const markdown = markdownOf(`${articleType}<body><div class="post-content">${paragraphs.join("")}
      <ul><li>Boats: two</li><li>Pumps: <a href="/p">three</a> of them, all old</li></ul>
      <pre>level = 3</pre><table><tr><th>Day</th></tr><tr><td>Monday</td></tr></table></div></body>`);
    expect(markdown).toContain("- Pumps: [three](https://news.example/p) of them");
    expect(markdown).toContain("level = 3");
    expect(markdown).toContain("| Monday |");
  });
});

describe("the main content of any other page", () => {
  it("is all that the page marks as its main part: lists of links, code and sections of any name", () => {
    const markdown = markdownOf(`<body><div class="menu">Menu</div><main><h1>Widgets</h1>${paragraphs.join("")}
      <section id="comments"><h2>Comments</h2><p>Lines that begin with a sign.</p></section>
      <ul><li><a href="/a">Modal</a></li><li><a href="/b">Banner</a></li></ul></main></body>`);
    expect(markdown).toContain("## Comments\n\nLines that begin with a sign.");
    expect(markdown).toContain("- [Banner](https://news.example/b)");
    expect(markdown).not.toContain("Menu");
  });
});

it("white space at the ends of emphasis goes outside, also where it must not break", () => {
  expect(markdownOf("<p>in <em>your\u00a0</em>area</p>")).toBe("in *your*\u00a0area");
});

it("an image that is not there is its description, unless that is the name of a file", () => {
  expect(markdownOf('<p>a <img alt="photo-1.jpg"><img alt="a mill"> b</p>')).toBe("a a mill b");
});
