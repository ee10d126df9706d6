import { BoundedMap } from "../../job/bounded-map.ts";
import { decodeText } from "../fetch/decode-text.ts";
import type { GuardedFetch } from "../fetch/guarded-fetch.ts";
import { allowAll, disallowAll, readRobots, type RobotsRules } from "./robots-rules.ts";

export interface RobotsOptions {
  /** The name that a robots.txt addresses us by: the first word of the User-Agent, without its version. */
  readonly productToken: string;
  /** Milliseconds that only rise. */
  readonly monotonic?: () => number;
}

export interface Robots {
  /** The rules for the origin of this URL. Never fails but by the signal: a robots.txt that cannot be had is an answer too. */
  readonly rulesFor: (url: string | URL, signal?: AbortSignal) => Promise<RobotsRules>;
}

interface Copy {
  readonly rules: RobotsRules;
  readonly freshUntil: number;
}

const hourMs = 3_600_000;
const freshMs = 24 * hourMs;
/** A server that was down is asked again after this. */
const unreachableMs = hourMs / 6;
const maxBytes = 500 * 1_024;
const maxRedirects = 5;
const maxOrigins = 1_000;

/**
 * robots.txt as RFC 9309 wants it. None (4xx), or one behind too many redirects: everything is allowed. Cannot be had (5xx, 429, no
 * connection): nothing is, unless an earlier copy tells. Each is fetched once a day at most.
 */
export function createRobots(
  { fetch }: Pick<GuardedFetch, "fetch">,
  { productToken, monotonic = () => performance.now() }: RobotsOptions,
): Robots {
  const copies = new BoundedMap<string, Copy>(maxOrigins);
  const loading = new Map<string, Promise<RobotsRules>>();

  const load = async (origin: string): Promise<RobotsRules> => {
    const answer = await fetchRobots(`${origin}/robots.txt`, fetch);
    const isReached = answer !== "unreachable";
    const rules = isReached
      ? answer === "none"
        ? allowAll
        : readRobots(`${origin}/robots.txt`, answer.text, productToken)
      : (copies.get(origin)?.rules ?? disallowAll);
    copies.set(origin, { rules, freshUntil: monotonic() + (isReached ? freshMs : unreachableMs) });
    return rules;
  };
  return {
    rulesFor: async (url, signal) => {
      signal?.throwIfAborted();
      const { origin } = new URL(url);
      const copy = copies.get(origin);
      if (copy !== undefined && copy.freshUntil > monotonic()) return copy.rules;
      const running = loading.get(origin) ?? load(origin).finally(() => loading.delete(origin));
      loading.set(origin, running);
      return orAborted(running, signal);
    },
  };
}

async function fetchRobots(
  url: string,
  fetch: GuardedFetch["fetch"],
): Promise<{ readonly text: string } | "none" | "unreachable"> {
  try {
    const options = { maxBodyBytes: maxBytes, maxRedirects: maxRedirects, whenTooLarge: "truncate" } as const;
    const { status, body, isTruncated } = await fetch(url, options);
    if (status >= 500 || status === 429) return "unreachable";
    if (status >= 300) return "none";
    const { text } = decodeText(body, "text/plain; charset=utf-8");
    // The last line of a file that was cut off may say the opposite of what was meant.
    return { text: isTruncated ? text.slice(0, text.lastIndexOf("\n") + 1) : text };
  } catch (error) {
    return (error as { code?: unknown }).code === "too_many_redirects" ? "none" : "unreachable";
  }
}

/** Several callers wait for one request: who gives up leaves the others theirs. */
function orAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", giveUp, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
