import { describe, expect, it } from "vitest";
import { useOnce } from "../../use-each.ts";
import { hasBrowser, openLocalBrowser } from "./local-browser.ts";
import { CrawlWorld, listen } from "./world.ts";

const timeoutMs = 5_000;

/** Serves one page, and a file to download. */
async function serve(html: string): Promise<string> {
  return listen(({ url = "/" }, response) => {
    const isFile = url === "/file";
    const headers = isFile
      ? { "content-type": "application/octet-stream", "content-disposition": "attachment" }
      : { "content-type": "text/html; charset=utf-8" };
    response.writeHead(url === "/robots.txt" ? 404 : 200, headers).end(isFile ? "bytes" : html);
  });
}

describe.skipIf(!hasBrowser)("a page that means harm", () => {
  const browser = useOnce(
    () => openLocalBrowser(),
    (opened) => opened.close(),
  );

  const read = async (html: string, options: object = {}): Promise<{ state: object; result: object | undefined }> => {
    const world = await CrawlWorld.open({ browser: browser() });
    const url = await serve(html);
    const job = await world.run("page_markdown", { url, render: "always", page_timeout_ms: timeoutMs, ...options });
    const isDone = job.state.status === "succeeded";
    return { state: job.state, result: isDone ? ((await world.engine.result(job.id)) as object) : undefined };
  };

  it.each([
    ["never ends a script", "<script>while (true) {}</script>"],
    ["never ends a script that begins late", "<p>Text<script>setTimeout(() => { while (true) {} }, 300);</script>"],
    ["shows dialogs without end", "<script>while (true) alert('again');</script>"],
    ["begins a download instead of going on", "<p>Text<script>location.href = '/file';</script>"],
    ["takes all memory", "<script>const all = []; while (true) all.push(new Array(1e6).fill(Math.random()));</script>"],
  ])("ends with a sentence though it %s", async (_what, html) => {
    const { state } = await read(html);
    expect(state).toMatchObject({
      status: "failed",
      failure: {
        message: expect.stringMatching(/^The page (could not be rendered: .*\.|crashed in the browser\.)$/) as string,
      },
    });
  });

  it("counts as it came, with the reason, where it was to be rendered only if need be", async () => {
    const { state, result } = await read("<p>Loading …</p><script>while (true) {}</script>", { render: "auto" });
    expect(state).toMatchObject({ status: "succeeded", partial: true });
    expect(result).toMatchObject({
      read_by: "html",
      markdown: "Loading …",
      note: expect.stringMatching(/made by scripts\. The page could not be rendered: It was not done within/) as string,
    });
  });

  it.each([
    [
      "opens windows without end",
      "setInterval(() => { for (let i = 0; i < 20; i++) open('/?' + Math.random()); }, 20);",
    ],
    ["stops for a debugger", "debugger; setInterval(() => { debugger; }, 10);"],
    ["asks before it is left", "addEventListener('beforeunload', (event) => event.preventDefault());"],
    [
      "has changed what text and elements do",
      "String.prototype.slice = () => 'x'.repeat(1e9); Object.defineProperty(Element.prototype, 'outerHTML', { get: () => { while (true) {} } });",
    ],
  ])("is read though it %s", async (_what, script) => {
    const { result } = await read(`<p>What it says.</p><script>${script}</script>`, { page_timeout_ms: 60_000 });
    expect(result).toMatchObject({ read_by: "browser", markdown: "What it says." });
  });

  it("ends with a sentence, or is read, though it leads on without end", async () => {
    const html = "<p>What it says.</p><script>setTimeout(() => { location.search = Math.random(); }, 20);</script>";
    const { state } = await read(html);
    expect(state).toMatchObject({ status: expect.stringMatching(/^(succeeded|failed)$/) as string });
  });

  it("gives no more than is taken of a page, however much it has made of itself", async () => {
    const script =
      "const p = document.createElement('p'); p.textContent = 'word '.repeat(4_000_000); document.body.append(p);";
    const { result } = await read(`<p>First.</p><script>${script}</script>`, {
      page_timeout_ms: 60_000,
      max_page_mb: 0.2,
      fields: ["html"],
    });
    const { html } = result as { html: string };
    expect(html.length).toBe(200_000);
    expect(html).toContain("First.");
  });

  it("is taken whole where it is larger than a message of the browser's, signs of two characters included", async () => {
    const script = "document.body.innerHTML = '<p hidden>' + 'a\u{1F600}'.repeat(400_001) + '</p><p>The end.</p>';";
    const { result } = await read(`<body><script>${script}</script>`, { page_timeout_ms: 60_000, fields: ["html"] });
    const { html } = result as { html: string };
    // Not shown where it fails: it is a megabyte.
    expect(html.includes(`${"a\u{1F600}".repeat(400_001)}</p><p>The end.</p>`)).toBe(true);
  });
});
