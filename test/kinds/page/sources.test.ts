import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KeptPage, SectionSource } from "../../../src/kinds/page/contract.ts";
import { findBrowser } from "../../../src/net/browser/find-browser.ts";
import { generateCode, type CodeOptions } from "../../../src/library/code/generate-code.ts";
import { designPage } from "../../library/design-page.ts";
import { present } from "../../present.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld } from "./world.ts";

const options: CodeOptions = {
  framework: "html",
  typescript: true,
  tailwind: false,
  componentName: "NightHero",
  responsive: true,
};

/** What makes two elements look the same, of all elements from a root on, in their order. */
const readLooks = `(root) => [root, ...root.querySelectorAll("*")]
  .filter((element) => !/^(script|iframe|style)$/.test(element.localName))
  .map((element) => {
    const style = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const names = ["color", "fontSize", "fontFamily", "textAlign", "display", "padding", "margin", "backgroundColor",
      "backgroundImage", "borderTopWidth", "borderRadius", "gridTemplateColumns", "letterSpacing"];
    return [element.localName, Math.round(width), Math.round(height), ...names.map((name) => style[name])].join(" | ");
  })`;

describe.skipIf(!hasBrowser)("the sections of a page as they are kept", () => {
  const kept: KeptPage[] = [];
  const world = usePageWorld({
    keep: async (page) => {
      kept.push(page);
    },
  });
  let site: Server;
  let browser: Browser;
  let url = "";
  let hero: SectionSource;
  let features: SectionSource;
  beforeAll(async () => {
    site = createServer((request, response) => {
      response.writeHead(200, { "content-type": request.url === "/robots.txt" ? "text/plain" : "text/html" });
      response.end(request.url === "/robots.txt" ? "" : designPage);
    });
    await new Promise<void>((done) => {
      site.listen(0, "127.0.0.1", done);
    });
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    await world().analyze({ url, features: ["layout", "responsive"] });
    const [page] = kept;
    [hero, features] = [present(page?.sources[0]), present(page?.sources[1])];
    const executablePath = present(findBrowser({ searchPath: process.env["PATH"] ?? "" }));
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser.close();
    site.closeAllConnections();
    site.close();
  });

  const looksOf = async (
    from: { url: string } | { html: string },
    selector: string,
    width: number,
  ): Promise<string[]> => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, reducedMotion: "reduce" });
    try {
      if ("url" in from) await page.goto(from.url);
      else await page.setContent(from.html);
      await page.addStyleTag({ content: "body { margin: 0 !important } *, *::before { animation: none !important }" });
      return await page.$eval(selector, `(root) => (${readLooks})(root)` as unknown as (root: Element) => string[]);
    } finally {
      await page.close();
    }
  };

  test.each([1_440, 768, 375])("look as HTML and CSS alone as they did on their page, %i px wide", async (width) => {
    for (const [source, selector, root] of [
      [hero, "section.hero", "body > section"],
      [features, "section.features", "body > section"],
    ] as const) {
      const { code } = generateCode(source, options);
      expect(await looksOf({ html: code }, root, width)).toEqual(await looksOf({ url }, selector, width));
    }
  });

  test("hold nothing that runs, reaches out or was typed", () => {
    const text = JSON.stringify(kept);
    expect(text).not.toMatch(/onclick|javascript:|<script|iframe/);
    expect(JSON.stringify(kept[0]?.sources)).not.toContain("somebody's name");
    expect(JSON.stringify(features)).toContain('"value":"Send"');
    expect(JSON.stringify(hero)).toContain(`"href":"${url}book"`);
  });

  test.each(["style sheet", "utility classes"])(
    "are the same elements as a React component that compiles: %s",
    async (how) => {
      for (const source of [hero, features]) {
        const tailwind = how === "utility classes";
        const { code } = generateCode(source, { ...options, framework: "react", tailwind });
        const page = await browser.newPage();
        await page.setContent(`<body></body>`);
        const built = (await page.evaluate(compileReact(code))) as { html: string; text: string };
        const plain = generateCode(source, { ...options, tailwind });
        await page.setContent(plain.code);
        const wanted = (await page.evaluate(readBody)) as { html: string; text: string };
        expect(built).toEqual(wanted);
        await page.close();
      }
    },
  );

  test("are the same elements as a Vue component, whose template is well-formed", async () => {
    const { code } = generateCode(features, { ...options, framework: "vue" });
    const template = present(/<template>\n([\s\S]*)<\/template>\n\n<style scoped>/.exec(code)?.[1]);
    const page = await browser.newPage();
    await page.setContent(`<body>${template}</body>`);
    const built = await page.evaluate(readBody);
    await page.setContent(generateCode(features, options).code);
    expect(built).toEqual(await page.evaluate(readBody));
    expect(code).toContain('<script setup lang="ts">');
    await page.close();
  });

  test("write utility classes that hold the same values as the style sheet", () => {
    const { code } = generateCode(features, { ...options, tailwind: true });
    expect(code).toContain("grid-cols-[repeat(3,_1fr)]");
    expect(code).toContain("max-[900px]:grid-cols-[1fr]");
    expect(code).not.toContain("<style>");
    expect(generateCode(features, { ...options, tailwind: true, responsive: false }).code).not.toContain("max-[");
  });

  test("are left out where the job says so", async () => {
    const before = kept.length;
    await world().analyze({ url, features: ["layout"], keep: false });
    expect(kept).toHaveLength(before);
  });

  test("are read whatever a page has done to the functions that it shares with nobody", async () => {
    const spoilt =
      "Element.prototype.attachShadow = () => { throw new Error('no'); }; Element.prototype.computedStyleMap = undefined;";
    const hostile = await startSite({ "/": designPage.replace("</body>", `<script>${spoilt}</script></body>`) });
    await world().analyze({ url: `${hostile.url}/`, features: ["layout"] });
    const page = kept.find(({ analysis }) => analysis.url === `${hostile.url}/`);
    expect(page?.sources).toHaveLength(kept[0]?.sources.length ?? 0);
  });
});

const readBody = `(() => {
  const root = document.body.querySelector("section");
  root.querySelectorAll("*").forEach((element) => element.normalize());
  const attributes = (element) => [...element.attributes].map(({ name, value }) => name + "=" + value).sort().join(" ");
  const all = [root, ...root.querySelectorAll("*")];
  return {
    html: all.map((element) => element.localName + " " + attributes(element)).join("\\n"),
    text: root.textContent.replace(/\\s+/g, ""),
  };
})()`;

/** Compiled as a React project would, and built by the few lines of React that make elements of it. */
function compileReact(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-tsx-"));
  try {
    writeFileSync(join(folder, "component.tsx"), code);
    // It fails where the text does not parse; React's own types are not there to be checked against.
    const compiler = resolve("node_modules/typescript/bin/tsc");
    const wanted = ["--noCheck", "--ignoreConfig", "--jsx", "react", "--module", "esnext", "--target", "es2022"];
    execFileSync(process.execPath, [compiler, ...wanted, "component.tsx"], { cwd: folder });
    return buildReact(readFileSync(join(folder, "component.js"), "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function buildReact(javascript: string): string {
  return `(() => {
    const names = { className: "class", htmlFor: "for", defaultValue: "value", tabIndex: "tabindex", colSpan: "colspan" };
    const React = {
      Fragment: "fragment",
      createElement(type, props, ...children) {
        const node = type === "fragment" ? document.createDocumentFragment() : document.createElement(type);
        for (const [name, value] of Object.entries(props ?? {})) node.setAttribute(names[name] ?? name, value === true ? "" : String(value));
        node.append(...children.flat());
        return node;
      },
    };
    ${javascript.replace("export default function", "const component = function")}
    document.body.append(component());
    return ${readBody};
  })()`;
}
