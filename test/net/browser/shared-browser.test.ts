import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../src/faces/cli/server/process-life.ts";
import { JobFailure } from "../../../src/job/failure.ts";
import { findBrowser } from "../../../src/net/browser/find-browser.ts";
import { createAddressRules } from "../../../src/net/address/address-rules.ts";
import { startBrowserProxy, type BrowserProxy } from "../../../src/net/proxy/browser-proxy.ts";
import { SharedBrowser, type BrowserSession } from "../../../src/net/browser/shared-browser.ts";
import { browserProcesses } from "./processes.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { until } from "../../until.ts";

const searchPath = process.env["PATH"] ?? "";
const hasBrowser = findBrowser({ searchPath }) !== undefined;
const never = new AbortController().signal;

function openBrowser(options: { maxPages?: number; idleMs?: number; hungMs?: number } = {}): {
  browser: SharedBrowser;
  folder: string;
} {
  const folder = join(makeTempFolder(), "browser");
  const browser = new SharedBrowser({
    folder,
    searchPath,
    sandbox: false,
    proxy: startProxy,
    maxPages: 2,
    ...options,
  });
  onTestFinished(() => browser.close());
  return { browser, folder };
}

async function startProxy(): Promise<BrowserProxy> {
  const rules = createAddressRules(["127.0.0.1"]);
  const proxy = await startBrowserProxy({ rules, connectTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxConnections: 100 });
  proxies.push(proxy);
  return proxy;
}

const proxies: BrowserProxy[] = [];

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

async function serveHtml(html: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(html);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function browserPid({ context }: BrowserSession): Promise<number> {
  return (await browserProcesses(context)).main;
}

test("a program named in the configuration is the only one that is looked for", () => {
  expect(findBrowser({ executable: "/nowhere/chrome", searchPath })).toBeUndefined();
  const folder = makeTempFolder();
  const executable = join(folder, "chrome");
  writeFileSync(executable, "", { mode: 0o755 });
  expect(findBrowser({ executable, searchPath: "" })).toBe(executable);
});

test("where there is no browser the failure says how to install one", async () => {
  const folder = join(makeTempFolder(), "browser");
  const settings = { folder, searchPath: ["", "/nowhere"].join(delimiter), executable: "/nowhere/chrome" };
  const browser = new SharedBrowser({ ...settings, sandbox: false, maxPages: 1, proxy: startProxy });
  await expect(browser.use({}, never, async () => 1)).rejects.toMatchObject({
    code: "browser_missing",
    message: expect.stringContaining("apt-get install") as string,
  });
});

test.skipIf(!hasBrowser)("jobs share one browser, each in a context of its own, and leave nothing behind", async () => {
  const { browser, folder } = openBrowser();
  mkdirSync(folder, { recursive: true });
  const url = await serveHtml("<title>hello</title><script>document.cookie = 'a=' + Date.now()</script>");
  const visit = (): Promise<{ pid: number; cookies: number; title: string }> =>
    browser.use({}, never, async (session) => {
      const cookies = (await session.context.cookies()).length;
      const page = await session.openPage();
      await page.goto(url);
      return { cookies, title: await page.title(), pid: await browserPid(session) };
    });
  const [first, second] = [await visit(), await visit()];
  expect(first).toMatchObject({ title: "hello", cookies: 0 });
  expect(second).toEqual(first);
  await browser.close();
  expect(existsSync(folder)).toBe(false);
});

test.skipIf(!hasBrowser)("what a killed server left in the folder is removed at the start", () => {
  const folder = join(makeTempFolder(), "browser");
  mkdirSync(join(folder, "run-old"), { recursive: true });
  const settings = { folder, searchPath, sandbox: false, maxPages: 1, proxy: startProxy };
  expect(new SharedBrowser(settings).executable).toBeDefined();
  expect(existsSync(folder)).toBe(false);
});

test.skipIf(!hasBrowser)("the signal frees a page that is stuck in a loop, and the browser lives on", async () => {
  const { browser } = openBrowser({ maxPages: 1 });
  const controller = new AbortController();
  const stuck = browser.use({}, controller.signal, async ({ openPage }) => {
    const page = await openPage();
    setTimeout(() => controller.abort(new Error("enough")), 300);
    await page.evaluate("for (;;);");
  });
  await expect(stuck).rejects.toThrow("enough");
  // The only slot is free again.
  expect(await browser.use({}, never, async ({ openPage }) => (await openPage()).evaluate("1 + 1"))).toBe(2);
});

test.skipIf(!hasBrowser)("a browser that dies is told as lost, and the next job gets a new one", async () => {
  const { browser, folder } = openBrowser();
  const lost = browser.use({}, never, async (session) => {
    const page = await session.openPage();
    process.kill(await browserPid(session), "SIGKILL");
    await page.evaluate("new Promise(() => undefined)");
  });
  await expect(lost).rejects.toMatchObject({ code: "browser_lost", retryable: true });
  expect(await browser.use({}, never, async ({ openPage }) => (await openPage()).evaluate("2"))).toBe(2);
  expect(readdirSync(folder)).toHaveLength(1);
});

test.skipIf(!hasBrowser)("a browser that hangs is ended with all of its processes, and told as lost", async () => {
  const { browser, folder } = openBrowser({ hungMs: 1_000 });
  let all: readonly number[] = [];
  const hung = browser.use({}, never, async (session) => {
    const page = await session.openPage();
    const processes = await browserProcesses(session.context);
    all = processes.all;
    process.kill(processes.main, "SIGSTOP");
    await page.evaluate("new Promise(() => undefined)");
  });
  await expect(hung).rejects.toMatchObject({ code: "browser_lost", retryable: true });
  expect(all.length).toBeGreaterThan(2);
  await until(() => !all.some(isAlive));
  expect(await browser.use({}, never, async ({ openPage }) => (await openPage()).evaluate("2"))).toBe(2);
  expect(readdirSync(folder)).toHaveLength(1);
});

test.skipIf(!hasBrowser)("what came to no end in a browser that hangs counts as lost, not as late", async () => {
  const { browser } = openBrowser({ hungMs: 500 });
  const late = browser.use({}, never, async (session) => {
    process.kill(await browserPid(session), "SIGSTOP");
    throw new JobFailure("timed_out", "not done within 0 s");
  });
  await expect(late).rejects.toMatchObject({ code: "browser_lost" });
});

test.skipIf(!hasBrowser)("a page that crashes is told as lost", async () => {
  const { browser } = openBrowser();
  const crashing = browser.use({}, never, async ({ openPage }) => {
    const page = await openPage();
    await page.goto("chrome://crash").catch(() => undefined);
    await page.evaluate("1");
  });
  await expect(crashing).rejects.toMatchObject({ code: "browser_lost" });
});

test.skipIf(!hasBrowser)("windows that a page opens by itself are closed", async () => {
  const { browser } = openBrowser();
  await browser.use({}, never, async ({ context, openPage }) => {
    const page = await openPage();
    await page.goto(await serveHtml("<p>page</p>"));
    await page.evaluate("window.open('about:blank'); window.open('about:blank', '_blank', 'noopener'); 1");
    await until(() => context.pages().length === 1);
    expect(page.isClosed()).toBe(false);
  });
});

test.skipIf(!hasBrowser)("no more pages are open at once than allowed", async () => {
  const { browser } = openBrowser({ maxPages: 1 });
  await browser.use({}, never, async ({ openPage }) => {
    const first = await openPage();
    const controller = new AbortController();
    let isOpen = false;
    const second = browser.use({}, controller.signal, async (other) => {
      await other.openPage();
      isOpen = true;
    });
    await first.evaluate("1");
    expect(isOpen).toBe(false);
    await first.close();
    await second;
    expect(isOpen).toBe(true);
  });
});

test.skipIf(!hasBrowser)("a browser that nobody uses for a while is closed", async () => {
  const { browser, folder } = openBrowser({ idleMs: 10 });
  await browser.use({}, never, async ({ openPage }) => openPage());
  await until(() => readdirSync(folder).length === 0);
  expect(await browser.use({}, never, async ({ openPage }) => (await openPage()).evaluate("1 + 1"))).toBe(2);
});
