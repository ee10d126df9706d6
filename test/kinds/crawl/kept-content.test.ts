import { describe, expect, it } from "vitest";
import { readDocument } from "../../../src/kinds/crawl/parse/read-document.ts";
import { toMarkdown } from "../../../src/kinds/crawl/parse/to-markdown.ts";

function markdownOf(html: string): string {
  return toMarkdown(readDocument(html, "https://a.example/page").content);
}

const katex = `<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow>
  <annotation encoding="application/x-tex">x_1 * y</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">xy</span></span>`;

describe("formulas", () => {
  it.each([
    ["KaTeX", `<p>where ${katex} holds</p>`, "where $x_1 * y$ holds"],
    [
      "Wikipedia",
      `<p>so <span class="mwe-math-element"><span style="display: none;"><math><mi>E</mi></math></span><img src="/e.svg" class="mwe-math-fallback-image-inline" alt="{\\displaystyle E=mc^{2}}"></span>.</p>`,
      "so $E=mc^{2}$.",
    ],
    ["LaTeXML", `<p>a <math alttext="\\alpha + 1"><mi>α</mi></math></p>`, "a $\\alpha + 1$"],
    ["plain MathML", "<p>a <math><mi>a</mi><mo>+</mo><mi>b</mi></math></p>", "a $a+b$"],
    [
      "a display",
      '<p>so</p><math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math><p>end</p>',
      "so\n\n$$\nx^2\n$$\n\nend",
    ],
  ])("are TeX: %s", (_name, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe("code", () => {
  it.each([
    ['<pre><code class="language-ts">a</code></pre>', "ts"],
    [
      '<div class="highlight-python3 notranslate"><div class="highlight"><pre><span>a</span></pre></div></div>',
      "python3",
    ],
    ['<div class="highlight highlight-source-shell"><pre>a</pre></div>', "shell"],
    [
      '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code>a</code></pre></div></div>',
      "ruby",
    ],
    ['<pre class="sourceCode haskell"><code class="sourceCode haskell">a</code></pre>', "haskell"],
    ['<pre><code class="hljs javascript">a</code></pre>', "javascript"],
    ['<pre data-language="css"><code>a</code></pre>', "css"],
    ['<pre class="brush: php; toolbar: false">a</pre>', "php"],
    ["<pre>a</pre>", ""],
    ['<pre class="literal-block">a</pre>', ""],
  ])("has the language that the page names: %s", (html, language) => {
    expect(markdownOf(`<p>b</p>${html}`)).toBe(`b\n\n\`\`\`${language}\na\n\`\`\``);
  });

  it("after a block with a language has its own or none", () => {
    expect(markdownOf('<div class="highlight-sh"><pre>a</pre></div><pre>b</pre>')).toBe("```sh\na\n```\n\n```\nb\n```");
  });
});

it("links within the page stay, but not the signs that link a heading to itself", () => {
  expect(markdownOf('<h2>Use<a href="#use">¶</a></h2><p>See <a href="#more">below</a>.</p>')).toBe(
    "## Use\n\nSee [below](#more).",
  );
});

it("footnotes, definitions, captions and descriptions of images stay", () => {
  const markdown = markdownOf(`<p>Word<sup><a href="#fn1">1</a></sup></p>
    <dl><dt>Term</dt><dd>Meaning</dd></dl>
    <figure><img src="/a.png" alt="A mill"><figcaption>The mill in spring</figcaption></figure>
    <section class="footnotes"><ol><li id="fn1">A note. <a href="#ref1">↩</a></li></ol></section>`);
  expect(markdown).toContain("Word<sup>[1](#fn1)</sup>");
  expect(markdown).toContain("**Term**\n\n- Meaning");
  expect(markdown).toContain("![A mill](https://a.example/a.png)\n\nThe mill in spring");
  expect(markdown).toMatch(/1\. A note\.$/);
});

it("carriage returns and zero bytes go", () => {
  expect(markdownOf("<pre>a\r\nb\0</pre><p>c&#13;d</p>")).toBe("```\na\nb\n```\n\nc d");
});
