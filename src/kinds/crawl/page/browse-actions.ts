import type { RequestOf } from "../contract.ts";
import { PartialResult, type JobContext } from "../../../job/kind.ts";
import { watchNavigation } from "../../../net/browser/watch-navigation.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import { readRules, robotsFailure } from "./fetch-page.ts";
import type { LoadTools } from "./load-page.ts";
import { createScriptEnder } from "./evaluate-in-page.ts";
import { performAction, tellFailure, type ActionTools } from "./perform-action.ts";
import { settleDown, withPage, withPageInTime } from "./render-page.ts";

/** Where the images of a job are kept: streams of its output, named so and numbered. */
const imageStream = "image";
const tallestPx = 16_384;
const actionMs = 10_000;

type BrowserTools = Omit<LoadTools, "pool"> & { readonly context: JobContext };

/** A picture of a page. The bytes are output of the job; the result says where. */
export async function takeScreenshot(
  input: RequestOf<"screenshot">,
  { context, settings, signal }: BrowserTools,
): Promise<object> {
  await checkRobots(input.url, settings, { signal, timeoutMs: input.page_timeout_ms });
  const { format, width, height, page_timeout_ms: timeoutMs } = input;
  return withPageInTime(settings.browser, { size: { width, height }, signal, timeoutMs }, async (page, leftMs) => {
    const navigation = watchNavigation(page);
    await page.goto(input.url, { waitUntil: "load", timeout: leftMs() });
    if (input.wait_for !== undefined) await page.waitForSelector(input.wait_for, { timeout: leftMs() });
    await settleDown(page, leftMs());
    const failure = navigation.failure();
    if (failure !== undefined) throw failure;
    const quality = format === "jpeg" ? { quality: input.quality } : {};
    const tall = Number(await page.evaluate("document.documentElement.scrollHeight"));
    const area = { x: 0, y: 0, width, height: Math.min(tallestPx, Math.max(height, tall)) };
    const shape = input.full_page ? { fullPage: true, clip: area } : {};
    const bytes = await page.screenshot({ type: format, timeout: leftMs(), ...quality, ...shape });
    context.output(imageStream).write(bytes);
    return {
      action: "screenshot",
      url: page.url(),
      title: await page.title(),
      format,
      bytes: bytes.length,
      stream: imageStream,
    };
  });
}

/** Does a list of things in one page. One that fails is told, and the rest go on; a wait that fails ends them. */
export async function browse(
  input: RequestOf<"browse">,
  { context, pool, settings, signal }: BrowserTools & LoadTools,
): Promise<object | PartialResult> {
  await checkRobots(input.url, settings, { signal, timeoutMs: input.page_timeout_ms });
  const { width, height, page_timeout_ms: timeoutMs } = input;
  return withPage(settings.browser, { size: { width, height }, signal, timeoutMs }, async (page, leftMs) => {
    const navigation = watchNavigation(page);
    const endScripts = await createScriptEnder(page);
    await page.goto(input.url, { waitUntil: "load", timeout: leftMs() });
    await settleDown(page, leftMs());
    const results: BrowseResult[] = [];
    const toMarkdown = async (html: string): Promise<string> => {
      const body = new TextEncoder().encode(html);
      const { fields } = await pool.parse({
        url: page.url(),
        body,
        contentType: "text/html; charset=utf-8",
        plan: '{"fields":["markdown"]}',
      });
      return (JSON.parse(`{${Buffer.from(fields).toString()}`) as { markdown: string }).markdown;
    };
    const keepImage = (bytes: Buffer): object => {
      const stream = `${imageStream}-${results.length + 1}`;
      context.output(stream).write(bytes);
      return { stream, bytes: bytes.length };
    };
    for (const action of input.actions) {
      const timeout = Math.min(actionMs, leftMs());
      const mayOpen = (url: string): Promise<void> => checkRobots(url, settings, { signal, timeoutMs: timeout });
      const tools: ActionTools = { page, toMarkdown, keepImage, timeout, mayOpen, endScripts };
      const performed = performAction(action, tools).then((found) => {
        const failure = navigation.failure();
        if (failure !== undefined) throw failure;
        return found;
      });
      const result = await performed.then(
        (found) => ({ action: action.type, success: true, ...found }),
        (error: unknown) => ({ action: action.type, success: false, error: tellFailure(error, action) }),
      );
      signal.throwIfAborted();
      results.push(result);
      context.progress({ phase: "browsing", counts: { done: results.length, total: input.actions.length } });
      if (action.type === "wait" && !result.success) break;
    }
    const isDone = results.length === input.actions.length && results.every(({ success }) => success);
    const answer = { action: "browse", success: isDone, url: input.url, results, final_url: page.url() };
    return isDone ? answer : new PartialResult(answer);
  });
}

interface BrowseResult {
  readonly action: string;
  readonly success: boolean;
  readonly error?: string;
}

async function checkRobots(
  url: string,
  settings: CrawlSettings,
  limits: Parameters<typeof readRules>[1],
): Promise<void> {
  const rules = await readRules(url, limits, settings);
  if (!rules.isAllowed(url)) throw robotsFailure(url);
}
