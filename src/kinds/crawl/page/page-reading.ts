import type { CrawlRequest } from "../contract.ts";
import { JobFailure, messageOf } from "../../../job/failure.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import type { ParsedPage, ParseRequest } from "../parse/parse-plan.ts";
import { hashText } from "../site/hash-set.ts";
import { normaliseUrl } from "../site/page-url.ts";
import { awaitTurn, robotsFailure } from "./fetch-page.ts";
import { renderPage, type RenderRequest } from "./render-page.ts";

export type RenderChoice = Extract<CrawlRequest, { render: unknown }>["render"];

/** A page that was read, and how. */
export interface PageReading {
  readonly url: string;
  readonly bytes: number;
  readonly parsed: ParsedPage;
  /** From what its server sent, or from what its scripts have made of that. */
  readonly readBy: "html" | "browser";
  /** Why it was not rendered, although it seems to be made by scripts. */
  readonly note?: string;
  readonly screenshot?: string;
}

export type ParseBody = (page: Omit<ParseRequest, "plan">) => Promise<ParsedPage>;

/** Opens a page in the browser and reads what it has become there, wherever its scripts have led. */
export async function readRendered(
  url: string,
  request: RenderRequest & { readonly delayMs?: number },
  { settings, parse }: { readonly settings: CrawlSettings; readonly parse: ParseBody },
): Promise<PageReading> {
  await awaitTurn(url, request, settings);
  const { body, frames, screenshot, ...shown } = await renderPage(settings.browser, url, request);
  const shownUrl = normaliseUrl(shown.url) ?? url;
  const reached = shownUrl === normaliseUrl(url) ? url : shownUrl;
  if (reached !== url && !(await settings.robots.rulesFor(reached, request.signal)).isAllowed(reached)) {
    throw robotsFailure(reached);
  }
  const contentType = "text/html; charset=utf-8";
  const parsed = await parse({ url: reached, body, contentType, frames });
  const bytes = frames.reduce((sum, frame) => sum + frame.body.length, body.length);
  const reading = { url: reached, bytes, parsed, readBy: "browser" } as const;
  return screenshot === undefined ? reading : { ...reading, screenshot };
}

/**
 * Which pages are worth a browser. On a site of short pages that have places for more, some are rendered in vain; then only those that
 * are certainly made by scripts are.
 */
export class RenderingLuck {
  #misses = 0;

  isWorthIt({ needsBrowser }: ParsedPage): boolean {
    return needsBrowser === "yes" || (needsBrowser === "maybe" && this.#misses < maxMisses);
  }

  note(isHit: boolean): void {
    this.#misses = isHit ? 0 : this.#misses + 1;
  }
}

const maxMisses = 5;

/** What says more: the page as it came, or as the browser shows it. Where it cannot be rendered, what came counts, with the reason. */
export async function readBest(
  read: PageReading,
  render: () => Promise<PageReading>,
  luck: RenderingLuck,
): Promise<PageReading> {
  try {
    const rendered = await tryTwice(render);
    const isMore = saysMore(rendered, read);
    luck.note(isMore);
    // Of two that say nothing the one that shows that nothing was left untried.
    return isMore || read.parsed.words === 0 ? rendered : read;
  } catch (error) {
    // Where it leads is no fault of the browser's.
    if (!(error instanceof JobFailure) || leadsAstray.has(error.code)) throw error;
    return read.parsed.needsBrowser === "yes" ? unread(read, error) : read;
  }
}

const leadsAstray = new Set(["blocked_address", "robots"]);

function saysMore(rendered: PageReading, read: PageReading): boolean {
  const [ours, theirs] = [rendered.parsed, read.parsed];
  // It has led elsewhere, so that what came is not what its readers get to see.
  if (rendered.url !== read.url) return true;
  // What such a page says before its scripts have run is that one should wait, or switch them on.
  if (theirs.needsBrowser === "yes" && ours.needsBrowser !== "yes" && ours.words > 0) return true;
  if (ours.words !== theirs.words) return ours.words > theirs.words;
  return ours.linkHashes.length > theirs.linkHashes.length;
}

/** Another page, or another job's, may have ended the browser. */
async function tryTwice(render: () => Promise<PageReading>): Promise<PageReading> {
  try {
    return await render();
  } catch (error) {
    if (error instanceof JobFailure && error.code === "browser_lost") return render();
    throw error;
  }
}

/** What such a page says nobody knows: that it is like another must not be concluded from what came. */
function unread(read: PageReading, failure: JobFailure): PageReading {
  const parsed = { ...read.parsed, contentHash: hashText(read.url), fingerprint: undefined, outline: [] };
  const note = `The page seems to be made by scripts. ${messageOf(failure)}`;
  return { ...read, parsed, note };
}
