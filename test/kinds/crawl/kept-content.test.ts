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
    [
      "Wikipedia, whose image is hidden from readers",
      `<dl><dd><img src="/e.svg" class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle E=mc^{2}}"></dd></dl>`,
      "- $E=mc^{2}$",
    ],
    [
      "MathML with parts",
      "<p><math><mfrac><mi>a</mi><mi>b</mi></mfrac><msup><mi>x</mi><mn>2</mn></msup></math></p>",
      "$\\frac{a}{b}x^{2}$",
    ],
    [
      "MathJax 2",
      `<p>Let <span class="MathJax_Preview">x</span><span class="MathJax"><nobr aria-hidden="true">x</nobr><span><math><mi>x</mi></math></span></span><script type="math/tex">x^2</script> and</p><script type="math/tex; mode=display">y</script>`,
      "Let $x^2$ and\n\n$$\ny\n$$",
    ],
    [
      "MathJax 3",
      `<p>Let <mjx-container><mjx-math aria-hidden="true"></mjx-math><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container>.</p>`,
      "Let $x^{2}$.",
    ],
    ["MathJax 4", `<p>Let <mjx-container data-latex="x^2"><svg></svg></mjx-container>.</p>`, "Let $x^2$."],
    [
      "Sphinx",
      `<p>Let <span class="math notranslate">\\(q_{1}\\)</span>.</p><div class="math">\\[e=mc^2\\]</div>`,
      "Let $q_{1}$.\n\n$$\ne=mc^2\n$$",
    ],
    [
      "text that a script of the page sets",
      `<script src="/mathjax/tex-chtml.js"></script><p>Let \\(a_1 &lt; b\\) and <code>\\(c\\)</code></p>`,
      "Let $a_1 < b$ and `\\(c\\)`",
    ],
    ["text that none sets", `<p>groups: \\(a\\)</p>`, "groups: \\\\(a\\\\)"],
    [
      "a heading and a cell",
      `<h2>On ${katex}</h2><table><tr><th>${katex.replace("x_1 * y", "|x|")}</th><th>b</th></tr></table>`,
      "## On $x_1 * y$\n\n| $\\|x\\|$ | b |\n| --- | --- |",
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

  it.each([
    [
      "Pygments",
      `<div class="highlight-python"><div class="highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><div><pre>a:\n    b</pre></div></td></tr></table></div></div>`,
    ],
    [
      "Pygments in the line",
      `<div class="highlight-python"><pre><span class="linenos">1</span>a:\n<span class="linenos">2</span>    b</pre></div>`,
    ],
    [
      "rouge",
      `<div class="language-python highlighter-rouge"><pre class="highlight"><code><table class="rouge-table"><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre>a:\n    b\n</pre></td></tr></table></code></pre></div>`,
    ],
    [
      "highlight.js",
      `<pre><code class="hljs python"><table class="hljs-ln"><tr><td class="hljs-ln-numbers">1</td><td>a:</td></tr><tr><td class="hljs-ln-numbers">2</td><td>    b</td></tr></table></code></pre>`,
    ],
    [
      "Chroma",
      `<div class="highlight"><table class="lntable"><tr><td class="lntd"><pre class="chroma"><code><span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre class="chroma"><code class="language-python">a:\n    b\n</code></pre></td></tr></table></div>`,
    ],
    [
      "SyntaxHighlighter",
      `<div class="syntaxhighlighter" data-lang="python"><table><tr><td class="gutter"><div class="line">1</div><div class="line">2</div></td><td class="code"><div><div class="line"><code>a:</code></div><div class="line"><code>    b</code></div></div></td></tr></table></div>`,
    ],
    [
      "prettify",
      `<pre class="prettyprint lang-python linenums"><ol class="linenums"><li>a:</li><li>    b</li></ol></pre>`,
    ],
  ])("has lines and no numbers of lines: %s", (_name, html) => {
    expect(markdownOf(html)).toBe("```python\na:\n    b\n```");
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

it("definitions, captions and descriptions of images stay", () => {
  const markdown =
    markdownOf(`<dl><dt>Term</dt><dd>Meaning</dd><dd><p>Another</p><dl><dt>Inner</dt><dd>Deep</dd></dl></dd></dl>
    <figure><img src="/a.png" alt="A mill"><figcaption>The mill in spring</figcaption></figure>`);
  expect(markdown).toContain("**Term**\n\n- Meaning\n\n- Another\n\n  **Inner**\n  - Deep");
  expect(markdown).toContain("![A mill](https://a.example/a.png)\n\nThe mill in spring");
});

describe("footnotes", () => {
  it.each([
    [
      "markdown-it",
      `<p>Word<sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup></p><section class="footnotes"><ol><li id="fn1"><p>A note <a href="#fnref1" class="footnote-backref">↩︎</a></p></li></ol></section>`,
    ],
    [
      "pandoc",
      `<p>Word<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a></p><section id="footnotes" role="doc-endnotes"><ol><li id="fn1"><p>A note<a href="#fnref1" role="doc-backlink">↩︎</a></p></li></ol></section>`,
    ],
    [
      "Wikipedia",
      `<p>Word<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">[1]</a></sup></p><ol class="references"><li id="cite_note-1"><span>^ <a href="#cite_ref-1"><sup><i>a</i></sup></a> <a href="#cite_ref-1-1"><sup>b</sup></a></span> <span>A note</span></li></ol>`,
    ],
    [
      "docutils",
      `<p>Word<a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span>[</span>1<span>]</span></a></p><aside class="footnote-list"><aside class="footnote" id="id2"><span class="label"><span>[</span><a href="#id1">1</a><span>]</span></span><p>A note</p></aside></aside>`,
    ],
    [
      "older docutils",
      `<p>Word<a class="footnote-reference" href="#id2" id="id1">[1]</a></p><dl class="footnote"><dt class="label" id="id2"><a class="fn-backref" href="#id1">1</a></dt><dd><p>A note</p></dd></dl>`,
    ],
    [
      "a table of docutils",
      `<p>Word<a class="footnote-reference" href="#id2" id="id1">[1]</a></p><table class="footnote" id="id2"><tr><td><a class="fn-backref" href="#id1">[1]</a></td><td>A note</td></tr></table>`,
    ],
  ])("are notes of Markdown: %s", (_name, html) => {
    expect(markdownOf(html)).toBe("Word[^1]\n\n[^1]: A note");
  });

  it("that are not on the page are links, and a note may have several paragraphs", () => {
    const html = `<p>One<sup><a href="#n9">9</a></sup> and two<sup><a href="#n2">2</a></sup></p><ol><li id="n2"><p>First</p><p>Second</p></li></ol>`;
    expect(markdownOf(html)).toBe("One<sup>[9](#n9)</sup> and two[^1]\n\n[^1]: First\n\n    Second");
  });

  it("of an article stay with it, though they are nothing but links", () => {
    const text = "The river rose in the night, and by the morning it had reached the mill. ".repeat(4);
    const html = `<meta property="og:type" content="article"><div class="post"><div class="post-body"><p>${text}</p><p>${text}<sup><a href="#fn1">1</a></sup></p></div>
      <div class="x"><ol><li id="fn1"><a href="https://b.example/river">River report</a></li></ol></div></div>`;
    expect(markdownOf(html)).toMatch(/mill\.\s?\[\^1\]\n\n\[\^1\]: \[River report\]\(https:\/\/b\.example\/river\)$/);
  });
});

it.each([
  ["data-src beside a placeholder", `<img src="/p.gif" data-src="/real.jpg" alt="A">`, "real.jpg"],
  ["the widest of srcset", `<img srcset="/a-300.jpg 300w, /a-900.jpg 900w" alt="A">`, "a-900.jpg"],
  ["a source of picture", `<picture><source srcset="/a.webp"><img alt="A"></picture>`, "a.webp"],
])("an image has the address that a reader would load: %s", (_name, html, file) => {
  expect(markdownOf(html)).toBe(`![A](https://a.example/${file})`);
});

it("a list in a cell is seen to be one", () => {
  expect(markdownOf("<table><tr><th>A</th></tr><tr><td><ul><li>one</li><li>two</li></ul></td></tr></table>")).toContain(
    "| - one<br>- two |",
  );
});

it("carriage returns and zero bytes go", () => {
  expect(markdownOf("<pre>a\r\nb\0</pre><p>c&#13;d</p>")).toBe("```\na\nb\n```\n\nc d");
});
