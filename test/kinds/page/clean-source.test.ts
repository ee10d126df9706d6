import { describe, expect, test } from "vitest";
import type { SourceElement } from "../../../src/kinds/page/contract.ts";
import { cleanSource } from "../../../src/kinds/page/sources/clean-source.ts";
import { generateCode } from "../../../src/library/code/generate-code.ts";
import { present } from "../../present.ts";

const element = (
  tag: string,
  attributes: Record<string, string> = {},
  children: SourceElement["children"] = [],
): SourceElement => ({ tag, attributes, style: 0, children });

const clean = (root: SourceElement, style: Record<string, string> = {}): ReturnType<typeof cleanSource> =>
  cleanSource({ section: "section-1", root, styles: [style], isCut: false });

const codeOf = (root: SourceElement, style: Record<string, string> = {}): string[] =>
  (["html", "react", "vue"] as const).map((framework) => {
    const options = { framework, typescript: true, tailwind: false, componentName: "X", responsive: true };
    return generateCode(present(clean(root, style)), options).code;
  });

describe("a section is kept without what could run or reach out", () => {
  test.each(["script", "style", "iframe", "object", "embed", "link", "meta", "base", "template", "use"])(
    "a %s is left out",
    (tag) => {
      expect(clean(element("div", {}, [element(tag, {}, ["x"])]))?.root.children).toEqual([]);
    },
  );

  test.each([
    ["onclick", "steal()"],
    ["ONERROR", "steal()"],
    ["style", "background: url(//evil)"],
    ["srcdoc", "<script>"],
    ["formaction", "https://evil.example/"],
    ["action", "https://evil.example/"],
    ["href", "javascript:steal()"],
    ["href", " java\nscript:steal()"],
    ["href", "data:text/html,<script>steal()</script>"],
    ["src", "data:text/html,x"],
    ["src", "blob:https://x.example/1"],
    ["src", "file:///etc/passwd"],
    ["xlink:href", "https://evil.example/#x"],
    ['x" onload="steal()', ""],
  ])("the attribute %s=%s is left out", (name, value) => {
    expect(clean(element("a", { [name]: value, title: "kept" }))?.root.attributes).toEqual({ title: "kept" });
  });

  test.each([
    ["background-image", 'url("javascript:steal()")'],
    ["background-image", "url(file:///etc/passwd)"],
    ["color", "red; } body { display: none"],
    ["font-family", '"</style><script>steal()</script>"'],
    ["width", "expression(steal())"],
    ["color}", "red"],
    ["content", "\\3c script"],
  ])("the declaration %s: %s is left out", (name, value) => {
    expect(clean(element("p"), { [name]: value, color: "rgb(1, 2, 3)" })?.styles[0]?.base).toEqual({
      color: "rgb(1, 2, 3)",
    });
  });

  test("what somebody has typed is left out, and what a button says is not", () => {
    const typed = element("input", { type: "text", value: "secret", name: "n" });
    expect(clean(typed)?.root.attributes).toEqual({ type: "text", name: "n" });
    expect(clean(element("input", { type: "submit", value: "Go" }))?.root.attributes).toHaveProperty("value", "Go");
  });

  test("words that look like code stay words in every framework", () => {
    const words = `</p><script>steal()</script> {{ steal() }} \${steal()} {steal()} \`x\` & "y"`;
    const [html = "", react = "", vue = ""] = codeOf(element("p", { title: `"><script>` }, [words]));
    expect(html).not.toMatch(/<script/);
    const template = vue.slice(vue.indexOf("<template>"));
    expect(template).not.toContain("<script");
    // What stands in double braces is a text in quotes, and nothing else is evaluated.
    expect(template.replaceAll("{{ '{{' }}", "")).not.toContain("{{");
    expect(react).toContain(JSON.stringify(words));
  });

  test("more than is kept of a section is cut, and told", () => {
    const long = clean(
      element(
        "div",
        {},
        Array.from({ length: 3_000 }, () => element("p", {}, ["x".repeat(100)])),
      ),
    );
    expect(long?.isCut).toBe(true);
    expect(JSON.stringify(long?.root).length).toBeLessThan(200_000);
    let deep = element("div", {}, ["bottom"]);
    for (let depth = 0; depth < 400; depth++) deep = element("div", {}, [deep]);
    const flat = clean(deep);
    expect(flat?.isCut).toBe(true);
    expect(JSON.stringify(flat)).not.toContain("bottom");
  });
});
