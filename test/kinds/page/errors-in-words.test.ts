import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { describe, expect, test } from "vitest";
import { browserSteps, type BrowserSteps } from "../../../src/kinds/page/steps.ts";
import { listen } from "../../net/listeners.ts";
import { makeCertificate } from "../../net/certificate.ts";
import { cleanPage } from "./pages.ts";
import { startSite } from "./site.ts";
import { hasBrowser, usePageWorld, type PageRequest, type PageWorld } from "./world.ts";

/** Names of calls, the protocol's own words, logs and colours of a terminal. */
const technical =
  /\\u001b|cdpSession|Protocol error|Call log|\b(page|browser|context|locator|browserContext)\.\w+:|net::|\[\d+m/;

const wanted: PageRequest = { check_links: false, viewports: [{ name: "small", width: 400, height: 400 }] };

/** All that anybody hears of an analysis: its state, its result, its events, its output. */
async function tell({ engine }: PageWorld, input: PageRequest): Promise<{ said: string; state: unknown }> {
  const job = await engine.submit({ kind: "page", input: { ...wanted, ...input }, limits: { attempts: 1 } });
  await engine.wait(job.id, { timeoutMs: 50_000 });
  const { state } = await engine.get(job.id);
  const result = state.status === "succeeded" ? await engine.result(job.id) : undefined;
  const [events, output] = [
    await engine.events(job.id),
    await engine.readOutput(job.id, { stream: "log" }).catch(() => ""),
  ];
  const said = JSON.stringify([state, result, events, output]);
  expect(said).not.toMatch(technical);
  return { said, state };
}

/** What the steps do to the page before they look at it, as the job's audience says. */
const harm: Record<string, (page: Awaited<ReturnType<StepParts["keeper"]["get"]>>["page"]) => Promise<unknown>> = {
  crash: async (page) => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Page.crash");
  },
  close: (page) => page.close(),
  leave: (page) => page.goto("about:blank"),
  late: (page) => page.waitForSelector("#never", { timeout: 50 }),
  script: (page) => page.evaluate("nothing.at.all"),
  protocol: async (page) => (await page.context().newCDPSession(page)).send("DOM.resolveNode", { nodeId: 123_456 }),
};

type StepParts = Parameters<BrowserSteps["layout"]>[0];

const steps: BrowserSteps = {
  ...browserSteps,
  quality: async (parts, collected) => {
    await harm[parts.input.audience ?? ""]?.((await parts.keeper.get()).page);
    return browserSteps.quality(parts, collected);
  },
};

describe.skipIf(!hasBrowser)("what goes wrong with a page is told in words", () => {
  const world = usePageWorld({ steps });

  test.each([
    ["crashes", "crash", "The page crashed in the browser."],
    ["is closed", "close", "The page closed itself while it was looked at."],
    ["is waited for in vain", "late", "was there and ready within 0.1 s."],
    ["has a script that fails", "script", "A script failed in the page: ReferenceError: nothing is not defined."],
    ["does not know what it is asked for", "protocol", "The browser refused: No node with given id found."],
  ])("when it %s", async (_how, audience, sentence) => {
    const { url } = await startSite({ "/": cleanPage });
    const { said } = await tell(world(), { url: `${url}/`, audience });
    expect(said).toContain(sentence);
  });

  test("when it goes elsewhere in the middle of an analysis", async () => {
    const { url } = await startSite({ "/": cleanPage });
    expect((await tell(world(), { url: `${url}/`, audience: "leave" })).state).toMatchObject({ status: "succeeded" });
  });

  test("when parts of it cannot be loaded", async () => {
    const body = '<img src="/cut.png" alt="x"><img src="http://nobody.invalid/x.png" alt="x">';
    const { url } = await startSite({
      "/": `<!doctype html><title>x</title>${body}`,
      "/cut.png": (_request, response) => void response.destroy(),
    });
    const { said } = await tell(world(), { url: `${url}/`, features: ["quality"] });
    expect(said).toContain("Parts of the page could not be loaded");
  });

  test("when it closes itself", async () => {
    const { url } = await startSite({ "/": `<!doctype html><title>x</title><p>x<script>window.close()</script>` });
    const { said } = await tell(world(), { url: `${url}/` });
    expect(said).toMatch(/The page closed itself|"method":"browser"/);
  });

  test("when it keeps leading elsewhere", async () => {
    const here = (to: string): string =>
      `<!doctype html><title>x</title><p>x<script>location.replace("${to}?" + Math.random())</script>`;
    const { url } = await startSite({ "/": here("/b"), "/b": here("/") });
    const { said } = await tell(world(), { url: `${url}/`, timeouts_ms: { load: 3_000 } });
    expect(said).toMatch(/"method":"(static|browser)"/);
  });

  test.each([
    [
      "a file to download",
      "leads to a file to download, not to a page",
      (_: unknown, response: ServerResponse) =>
        response.writeHead(200, { "content-disposition": "attachment; filename=a.bin" }).end("x"),
    ],
    [
      "a circle of redirects",
      "redirect",
      (_: unknown, response: ServerResponse) => response.writeHead(302, { location: "/" }).end(),
    ],
    ["nothing at all", "", (_: unknown, response: ServerResponse) => response.destroy()],
    ["no HTTP", "", (_: unknown, response: ServerResponse) => response.socket?.end("SSH-2.0-nothing\r\n")],
  ])("when its address leads to %s", async (_what, words, answer) => {
    const { url } = await startSite({ "/": answer });
    const { said, state } = await tell(world(), { url: `${url}/` });
    expect(state).toMatchObject({ status: "failed" });
    expect(said).toContain(words);
  });

  test("when nobody has issued its certificate", async () => {
    const { origin } = await listen(
      createServer(makeCertificate("secure.example"), (_request, response) => response.end("<p>secret")),
    );
    const { state, said } = await tell(world(), { url: origin.replace("http:", "https:") });
    expect(state).toMatchObject({ status: "failed" });
    expect(said).toMatch(/certificate/);
  });
});
