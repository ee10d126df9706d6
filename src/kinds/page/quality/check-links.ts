import type { GuardedFetch } from "../../../net/fetch/guarded-fetch.ts";
import { JobFailure } from "../../../job/failure.ts";
import type { PageFacts } from "../facts.ts";
import { found } from "./findings.ts";
import type { Finding, LinkCheck } from "./quality.ts";
import { parseUrl } from "../../../job/parse-url.ts";

const maxLinks = 40;
const atOnce = 6;
const eachMs = 8_000;

/** Asks where links lead, those of the same site first. Only a clear no counts as broken: many servers refuse strangers. */
export async function checkLinks(
  { content }: PageFacts,
  pageUrl: string,
  fetch: GuardedFetch["fetch"],
  signal: AbortSignal,
): Promise<LinkCheck> {
  const page = new URL(pageUrl);
  const targets = new Map<string, string>();
  for (const { url, selector } of content.links) {
    const target = url.replace(/#.*$/, "");
    if (parseUrl(target) !== undefined && target !== page.href.replace(/#.*$/, "") && !targets.has(target))
      targets.set(target, selector);
  }
  const ordered = [...targets].toSorted(
    ([a], [b]) => Number(new URL(b).origin === page.origin) - Number(new URL(a).origin === page.origin),
  );
  const queue = ordered.slice(0, maxLinks);
  const chosen = queue.length;
  const broken: { url: string; selector: string; reason: string }[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [url, selector] = next;
      const reason = await whyBroken(url, fetch, signal);
      if (reason !== undefined) broken.push({ url, selector, reason });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { checked: chosen, total: targets.size, broken };
}

export function linkFindings({ broken }: LinkCheck): Finding[] {
  if (broken.length === 0) return [];
  const reasons = broken.map(({ url, reason }) => `${url} (${reason})`);
  const selectors = broken.map(({ selector }) => selector);
  return [found("link-broken", reasons.slice(0, 5).join(", "), { count: broken.length, selectors })];
}

async function whyBroken(url: string, fetch: GuardedFetch["fetch"], signal: AbortSignal): Promise<string | undefined> {
  const request = { signal, timeoutMs: eachMs, maxBodyBytes: 1, whenTooLarge: "truncate" } as const;
  try {
    const { status } = await fetch(url, { ...request, method: "HEAD" });
    if (status < 400) return undefined;
    // Not every server knows HEAD.
    const again = await fetch(url, request);
    return again.status === 404 || again.status === 410 ? String(again.status) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof JobFailure && (error.code === "dns_failed" || error.code === "connect_failed")
      ? error.code.replace("_", " ")
      : undefined;
  }
}
