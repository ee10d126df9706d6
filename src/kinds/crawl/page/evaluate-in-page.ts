import type { Page } from "playwright-core";

const longestValue = 100_000;

/**
 * Runs a script of the caller as one of the page's own: it sees what these see, its requests pass the same proxy, and nothing of this
 * machine is within its reach. What it gives is told as text: JSON, unless it is a text already.
 */
export function evaluateInPage(page: Page, expression: string): Promise<string | null> {
  return page.evaluate(runInPage, { expression, longest: longestValue });
}

/**
 * To end what runs in the page and never ends by itself; the page goes on, and so do its own scripts. To be made before: a page that is
 * stuck opens no session any more.
 */
export async function createScriptEnder(page: Page): Promise<() => void> {
  const devtools = await page.context().newCDPSession(page);
  return () => void devtools.send("Runtime.terminateExecution").catch(() => undefined);
}

/** Cut in there: however much a script makes, no more than this leaves the page. A function is called, as SearchClaw's driver does. */
async function runInPage({ expression, longest }: { expression: string; longest: number }): Promise<string | null> {
  // oxlint-disable-next-line no-eval -- It runs in the page, where every script is somebody else's.
  const made: unknown = await (0, eval)(expression);
  const value: unknown = typeof made === "function" ? await (made as () => unknown)() : made;
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value.slice(0, longest);
  try {
    return (JSON.stringify(value) as string | undefined)?.slice(0, longest) ?? null;
  } catch {
    // It holds itself, or something that JSON has no word for.
    return Object.prototype.toString.call(value);
  }
}
