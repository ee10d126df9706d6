import type { LoadedConfig } from "../config/config.ts";
import { defined } from "../job/defined.ts";
import type { CrawlSettings } from "../kinds/crawl/crawl-settings.ts";
import { createAddressRules } from "../net/address-rules.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { createHostGate } from "../net/host-gate.ts";
import { createRobots } from "../net/robots.ts";
import { defaultUserAgent, productToken } from "../net/user-agent.ts";
import { readVersion } from "./version.ts";

/** How crawl jobs reach the web, from the configuration. */
export function openCrawlSettings(config: LoadedConfig): { settings: CrawlSettings; close: () => Promise<void> } {
  const { net, crawl, search } = config;
  const userAgent = net.user_agent ?? defaultUserAgent(readVersion());
  const limits = { timeoutMs: net.timeout_ms, maxBodyBytes: net.max_body_mb * 1_000_000 };
  const web = createGuardedFetch({ rules: createAddressRules(net.allow), userAgent, limits });
  // Whoever configures a search engine means it, wherever it is; pages must not reach it for that.
  const endpoints = [search.searxng_url, search.brave_url].flatMap((url) =>
    url === undefined ? [] : [hostAndPort(url)],
  );
  const searchWeb = createGuardedFetch({ rules: createAddressRules([...net.allow, ...endpoints]), userAgent, limits });
  const settings: CrawlSettings = {
    web,
    robots: createRobots(web, { productToken }),
    gate: createHostGate({ perHost: crawl.per_host, minimumDelayMs: crawl.minimum_delay_ms }),
    concurrency: crawl.concurrency,
    search: {
      web: searchWeb,
      ...defined({ searxngUrl: search.searxng_url, braveKey: search.brave_key, braveUrl: search.brave_url }),
    },
  };
  const close = async (): Promise<void> => {
    await Promise.all([web.close(), searchWeb.close()]);
  };
  return { settings, close };
}

function hostAndPort(text: string): string {
  const { hostname, port, protocol } = new URL(text);
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}
