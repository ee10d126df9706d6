import type { Page } from "playwright-core";
import type { BrowseAction } from "../contract.ts";
import { assertNever } from "../../../job/error.ts";
import { tellBrowserError, tellLate } from "./browser-words.ts";
import { evaluateInPage } from "./evaluate-in-page.ts";
import { settleDown } from "./render-page.ts";

const longestContent = 500_000;
/** The browser keeps to the time that it is given where it can; this is for where it cannot. */
const graceMs = 500;

export interface ActionTools {
  readonly page: Page;
  readonly timeout: number;
  readonly toMarkdown: (html: string) => Promise<string>;
  readonly keepImage: (bytes: Buffer) => object;
  /** Throws where the site forbids it. */
  readonly mayOpen: (url: string) => Promise<void>;
  readonly endScripts: () => void;
}

/** Does one thing in a page, within its time even where a script of the page, or of the caller, never ends. */
export async function performAction(action: BrowseAction, tools: ActionTools): Promise<object> {
  const ms = action.type === "wait" ? action.timeout : tools.timeout;
  const performing = perform(action, tools);
  // Its end is of no interest once it is late, but must not go unhandled.
  performing.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      tools.endScripts();
      reject(new Error(tellLate(ms)));
    }, ms + graceMs);
  });
  try {
    return await Promise.race([performing, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why an action failed, by the element that it was to work on. */
export function tellFailure(error: unknown, action: BrowseAction): string {
  return tellBrowserError(error, "selector" in action ? action.selector : undefined);
}

async function perform(action: BrowseAction, tools: ActionTools): Promise<object> {
  const { page, timeout } = tools;
  switch (action.type) {
    case "navigate":
      await tools.mayOpen(action.url);
      await page.goto(action.url, { waitUntil: "load", timeout });
      return { data: page.url() };
    case "wait":
      if (action.selector === undefined) await page.waitForTimeout(action.timeout);
      else await page.waitForSelector(action.selector, { timeout: action.timeout });
      return {};
    case "click":
      await page.click(action.selector, { timeout });
      await settleDown(page, timeout);
      return {};
    case "fill":
      await page.fill(action.selector, action.value, { timeout });
      return {};
    case "type":
      await page.locator(action.selector).first().pressSequentially(action.value, { delay: action.delay, timeout });
      return {};
    case "select":
      return { data: await page.selectOption(action.selector, action.value, { timeout }) };
    case "press":
      await page.keyboard.press(action.key);
      return {};
    case "scroll":
      await page.evaluate(`window.scrollBy(0, ${action.direction === "up" ? -action.amount : action.amount})`);
      return {};
    case "screenshot": {
      const place = action.selector === undefined ? undefined : page.locator(action.selector).first();
      const bytes = await (place?.screenshot({ timeout }) ?? page.screenshot({ fullPage: action.full_page, timeout }));
      return { data: tools.keepImage(bytes) };
    }
    case "extract":
      return { content: (await readContent(action, tools)).slice(0, longestContent) };
    case "evaluate":
      return { data: await evaluateInPage(page, action.expression) };
    default:
      return assertNever(action);
  }
}

async function readContent(
  { selector, format }: Extract<BrowseAction, { type: "extract" }>,
  { page, timeout, toMarkdown }: ActionTools,
): Promise<string> {
  const place = page.locator(selector ?? "html").first();
  if (format === "text") return place.innerText({ timeout });
  const html =
    selector === undefined
      ? await page.content()
      : await place.evaluate((element: { outerHTML: string }) => element.outerHTML, undefined, { timeout });
  return format === "html" ? html : toMarkdown(html);
}
