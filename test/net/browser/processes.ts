import type { BrowserContext } from "playwright-core";

/** The numbers of a browser's processes, asked of the browser itself. */
export async function browserProcesses(context: BrowserContext): Promise<{ main: number; all: number[] }> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo } = (await session?.send("SystemInfo.getProcessInfo")) ?? { processInfo: [] };
  const main = processInfo.find(({ type }) => type === "browser")?.id;
  if (main === undefined) throw new Error("the browser did not name its process");
  return { main, all: processInfo.map(({ id }) => id) };
}
