import type { LoadedConfig } from "../config/config.ts";
import { createAddressRules, type AddressRules } from "../net/address/address-rules.ts";
import { startBrowserProxy, type BrowserProxy } from "../net/proxy/browser-proxy.ts";
import { SharedBrowser } from "../net/browser/shared-browser.ts";
import { createGuardedFetch, type GuardedFetch } from "../net/fetch/guarded-fetch.ts";
import { createRobots, type Robots } from "../net/robots/robots.ts";
import { defaultUserAgent, productToken } from "../net/fetch/user-agent.ts";
import { readVersion } from "./version.ts";

/** The ways to the web that a server's kinds share. */
export interface Web {
  readonly rules: AddressRules;
  readonly guarded: GuardedFetch;
  readonly fetch: GuardedFetch["fetch"];
  readonly robots: Robots;
  readonly browser: SharedBrowser;
  readonly close: () => Promise<void>;
}

const connectTimeoutMs = 10_000;

/** Opens nothing yet: connections, the proxy and the browser come when a job needs them. */
export function openWeb({ net, browser, paths, env }: LoadedConfig): Web {
  const rules = createAddressRules(net.allow);
  const guarded = createGuardedFetch({
    rules,
    userAgent: net.user_agent ?? defaultUserAgent(readVersion()),
    limits: { timeoutMs: net.timeout_ms, maxBodyBytes: net.max_body_mb * 1_000_000 },
  });
  let proxy: Promise<BrowserProxy> | undefined;
  const shared = new SharedBrowser({
    folder: paths.browser,
    searchPath: env["PATH"] ?? "",
    sandbox: browser.sandbox,
    maxPages: browser.max_pages,
    proxy: () =>
      (proxy ??= startBrowserProxy({ rules, connectTimeoutMs, idleTimeoutMs: 60_000, maxConnections: 1_000 })),
    executable: browser.executable,
  });
  return {
    rules,
    guarded,
    fetch: guarded.fetch,
    robots: createRobots(guarded, { productToken }),
    browser: shared,
    close: async () => {
      await shared.close();
      await (await proxy)?.close();
      await guarded.close();
    },
  };
}
