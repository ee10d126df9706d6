import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserAccess } from "../../../src/kinds/crawl/page/render-page.ts";
import { createAddressRules } from "../../../src/net/address/address-rules.ts";
import { findBrowser } from "../../../src/net/browser/find-browser.ts";
import { SharedBrowser } from "../../../src/net/browser/shared-browser.ts";
import { startBrowserProxy } from "../../../src/net/proxy/browser-proxy.ts";

const searchPath = process.env["PATH"] ?? "";

export const hasBrowser = findBrowser({ searchPath }) !== undefined;

export interface LocalBrowser extends BrowserAccess {
  /** Most pages that were open at once. */
  readonly maxOpen: () => number;
  readonly close: () => Promise<void>;
}

/** The browser of a server, which opens what is on this machine. */
export async function openLocalBrowser(maxPages = 4): Promise<LocalBrowser> {
  const proxy = await startBrowserProxy({
    rules: createAddressRules(["127.0.0.1"]),
    connectTimeoutMs: 10_000,
    idleTimeoutMs: 10_000,
    maxConnections: 200,
  });
  const folder = await mkdtemp(join(tmpdir(), "longhaul-browser-"));
  const shared = new SharedBrowser({
    folder: join(folder, "browser"),
    searchPath,
    sandbox: false,
    maxPages,
    proxy: async () => proxy,
  });
  let open = 0;
  let most = 0;
  return {
    use: (options, signal, work) =>
      shared.use(options, signal, ({ openPage }) =>
        work({
          openPage: async () => {
            const page = await openPage();
            open += 1;
            most = Math.max(most, open);
            page.once("close", () => {
              open -= 1;
            });
            return page;
          },
        }),
      ),
    maxOpen: () => most,
    close: async () => {
      await shared.close();
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
