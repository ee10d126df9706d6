import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** As much of Lighthouse and its launcher as is used here. */
type Lighthouse = (url: string, flags: object) => Promise<{ readonly lhr: { readonly runtimeError?: unknown } }>;
type Launch = (options: object) => Promise<{ readonly port: number; readonly kill: () => void }>;

export interface LighthouseRunner {
  readonly version: string;
  readonly run: (url: string) => Promise<void>;
  readonly close: () => void;
}

/** Lighthouse as it is when nothing is set, its code loaded and its browser warm; undefined where it is not installed. */
export async function openLighthouse(chromePath: string): Promise<LighthouseRunner | undefined> {
  const folder = resolve("bench/page/peer");
  if (!existsSync(resolve(folder, "node_modules/lighthouse"))) return undefined;
  const peer = createRequire(resolve(folder, "package.json"));
  const load = async (name: string): Promise<unknown> => import(pathToFileURL(peer.resolve(name)).href);
  const { default: lighthouse } = (await load("lighthouse")) as { default: Lighthouse };
  const { launch } = (await load("chrome-launcher")) as { launch: Launch };
  const chrome = await launch({ chromePath, chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu"] });
  const { version } = peer("lighthouse/package.json") as { version: string };
  return {
    version,
    run: async (url) => {
      const { lhr } = await lighthouse(url, { port: chrome.port, output: "html", logLevel: "silent" });
      if (lhr.runtimeError !== undefined) throw new Error(JSON.stringify(lhr.runtimeError));
    },
    close: () => chrome.kill(),
  };
}
