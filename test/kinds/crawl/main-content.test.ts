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

describe("links in an article", () => {
  it("go where a paragraph or list of them leads to other pages of its site, and stay where they lead elsewhere", () => {
    const markdown = markdownOf(`${articleType}<body><div class="post-content">${paragraphs[0]}
      <p><b>Weiterlesen:</b> <a href="https://www.news.example/storm">Storm over the coast tonight and tomorrow</a></p>${paragraphs[1]}
      <ul><li><a href="https://shop.example/1">A pump for cellars, at 99.90</a></li><li><a href="https://shop.example/2">A pump for mills, at 299.90</a></li></ul>
      ${paragraphs[2]}<ul><li><a href="https://social.example/1">Tweet</a></li><li><a href="https://social.example/2">Post</a></li></ul>${paragraphs[3]}</div></body>`);
    expect(markdown).toContain("A pump for mills, at 299.90");
    expect(markdown).not.toMatch(/Weiterlesen|Tweet/);
  });

  it("do not make teasers of its parts where their headings lead to other sites", () => {
    const parts = ["Pump", "Boat", "Sandbags"].map(
      (name) =>
        `<div><h3><a href="https://shop.example/${name}">${name} for the next flood</a></h3>${paragraphs[0]}</div>`,
    );
    const markdown = markdownOf(`${articleType}<body><div class="post-content">${parts.join("")}</div></body>`);
    expect(markdown).toContain("Sandbags for the next flood");
  });
});

it("an article ends with its text: headings with nothing below them, lists of other pages and their labels go", () => {
  const markdown = markdownOf(`${articleType}<body><div class="post-content"><div>${paragraphs.join("")}
    <h2>Figures</h2><table><tr><td>Level</td><td>3</td></tr></table>
    <p>Mehr zum Thema</p><ul><li>A storm came, <a href="/storm">and what it did</a></li><li>A mill is <a href="/mill">for sale again</a></li></ul>
    <h3>Kommentare</h3><p>keine</p></div></div></body>`);
  expect(markdown).toMatch(/## Figures\n\n.*Level.*\n.*$/);
});

describe("the main content of any other page", () => {
  it("has no list of links before the part with its title and most of its text", () => {
    const links = ["Roads", "Water", "Schools"].map((name) => `<li><a href="/${name}">${name}</a></li>`).join("");
    const list = `<blockquote>Topics</blockquote><ul>${links}</ul>`;
    const rows = `<table><tr><th>Day</th></tr><tr><td>Monday</td></tr></table><p class="x">Price: 12</p>`;
    const body = `<div><div class="c1">${list}</div><div class="c2"><h1>The flood</h1>${paragraphs.join("")}${rows}</div></div>`;
    for (const page of [body, `<table><tr><td>${list}</td><td>${body}</td></tr></table>`]) {
      const markdown = markdownOf(`<body>${page}<div>Open on Monday</div></body>`);
      expect(markdown).not.toContain("Water");
      expect(markdown).toMatch(/^# The flood\n\nFirst/);
      expect(markdown).toContain("| Monday |");
      expect(markdown).toMatch(/Price: 12\n\nOpen on Monday$/);
    }
  });

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
