import { JobFailure } from "../../../job/failure.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import type { FrameBody, ParsedPage, ParseRequest } from "../parse/parse-plan.ts";
import { normaliseUrl } from "../site/page-url.ts";
import { createScope } from "../site/scope.ts";
import { fetchPage, type PageFetch } from "./fetch-page.ts";
import type { ParseBody } from "./page-reading.ts";

const maxFrames = 8;
/** Frames within frames. */
const maxLevels = 3;
const maxHops = 5;

interface FramedPage {
  readonly parsed: ParsedPage;
  /** Of its frames. */
  readonly bytes: number;
}

/** Reads what a page shows within it where that is all it has to say, as far as it comes from the page's own site. */
export async function readFrames(
  page: Omit<ParseRequest, "plan">,
  first: ParsedPage,
  { limits, settings, parse }: { limits: PageFetch; settings: CrawlSettings; parse: ParseBody },
): Promise<FramedPage> {
  if (first.frames.length === 0) return { parsed: first, bytes: 0 };
  const isOwn = await createScope({ starts: [page.url], within: "site", include: [], exclude: [] });
  const known = new Set([page.url]);
  const frames: FrameBody[] = [];
  let parsed = first;
  let left = limits.maxBytes - page.body.length;
  for (let level = 0; level < maxLevels; level++) {
    const wanted = parsed.frames.filter((url) => isOwn(url) && !known.has(url)).slice(0, maxFrames - frames.length);
    if (wanted.length === 0) break;
    for (const url of wanted) {
      known.add(url);
      const frame = left > 0 ? await fetchFrame(url, { ...limits, maxBytes: left }, { isOwn, settings }) : undefined;
      if (frame === undefined) continue;
      left -= frame.body.length;
      frames.push(frame);
    }
    parsed = await parse({ ...page, frames });
  }
  return { parsed, bytes: frames.reduce((sum, { body }) => sum + body.length, 0) };
}

/** A frame that cannot be had is left out, as browsers do. */
async function fetchFrame(
  start: string,
  limits: PageFetch,
  { isOwn, settings }: { isOwn: (url: string) => boolean; settings: CrawlSettings },
): Promise<FrameBody | undefined> {
  let url: string | undefined = start;
  try {
    for (let hops = 0; hops <= maxHops && url !== undefined && isOwn(url); hops++) {
      const fetched = await fetchPage(url, limits, settings);
      if (fetched.type === "page") return { url, body: fetched.response.body, contentType: fetched.contentType };
      url = fetched.type === "redirect" ? normaliseUrl(fetched.to, url) : undefined;
    }
  } catch (error) {
    limits.signal.throwIfAborted();
    if (!(error instanceof JobFailure)) throw error;
  }
  return undefined;
}
