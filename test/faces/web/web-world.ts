import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { findBrowser } from "../../../src/net/browser/find-browser.ts";
import { present } from "../../present.ts";
import { useOnce } from "../../use-each.ts";
import { createCli, closeCli, type Cli, type Running } from "../cli/cli.ts";
import { until } from "../../until.ts";

const executablePath = findBrowser({ searchPath: process.env["PATH"] ?? "" });
export const hasBrowser = executablePath !== undefined;

interface ViewOptions {
  /** Whose session; this machine's user unless given. */
  readonly token?: string;
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

export interface View {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser refused to do, and what threw. */
  readonly problems: readonly string[];
  readonly go: (path: string) => Promise<void>;
}

/** A server of its own, and one browser: each view is a visitor with cookies of their own. */
export class WebWorld {
  readonly cli: Cli;
  readonly browser: Browser;
  #serving: Running;
  readonly url: string;

  private constructor(cli: Cli, browser: Browser, serving: Running, url: string) {
    this.cli = cli;
    this.browser = browser;
    this.#serving = serving;
    this.url = url;
  }

  static async open(): Promise<WebWorld> {
    const cli = createCli();
    const { serving, url } = await serve(cli, "0");
    const args = ["--no-sandbox", "--disable-gpu"];
    return new WebWorld(cli, await chromium.launch({ executablePath, args }), serving, url);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await closeCli(this.cli);
  }

  /** Kills the server without a word; `start` brings it back at the same address. */
  async kill(): Promise<void> {
    this.#serving.process.kill("SIGKILL");
    await this.#serving.done;
  }

  async start(): Promise<void> {
    this.#serving = (await serve(this.cli, new URL(this.url).port)).serving;
  }

  async view({ token, scheme = "light", width = 1_440, height = 900 }: ViewOptions = {}): Promise<View> {
    const context = await this.browser.newContext({ colorScheme: scheme, viewport: { width, height } });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text());
    });
    if (token === undefined) await page.goto((await this.cli.run(["open", "--print"])).stdout.trim());
    else {
      await page.goto(this.url);
      await page.getByLabel("Token").fill(token);
      await page.getByRole("button", { name: "Log in" }).click();
    }
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    const go = async (path: string): Promise<void> => {
      await page.goto(`${this.url}${path}`);
      await page.getByRole("navigation", { name: "Main" }).waitFor();
    };
    return { page, context, problems, go };
  }

  async token(words: readonly string[]): Promise<string> {
    const { stdout } = await this.cli.run(["token", "create", "--json", ...words]);
    return (JSON.parse(stdout) as { token: string }).token;
  }
}

async function serve(cli: Cli, port: string): Promise<{ serving: Running; url: string }> {
  const serving = cli.start(["serve", "--json", "--port", port]);
  await until(() => serving.stdout().includes("}"));
  return { serving, url: (JSON.parse(present(serving.stdout())) as { url: string }).url };
}

export function useWebWorld(): () => WebWorld {
  return useOnce(
    () => WebWorld.open(),
    (world) => world.close(),
  );
}
