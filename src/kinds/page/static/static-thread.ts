import { load, type CheerioAPI } from "cheerio/slim";
import { parentPort, workerData } from "node:worker_threads";
import { parseUrl } from "../../../job/parse-url.ts";
import type { SheetSources, StaticDocument, StaticReply, StaticSheets } from "./static-reader.ts";
import { markUsed } from "./mark-used.ts";
import { readCss } from "./read-css.ts";
import { readDocument } from "./read-document.ts";

/** The thread that reads one page: first which style sheets it wants, then, given those, all the rest. */
const { html, base } = workerData as StaticDocument;
// Searching takes the square of the number of elements at the top, so there is only one.
const $ = load(`<page>${html}`);

parentPort?.once("message", ({ texts, unreadable }: StaticSheets) => {
  const css = readCss(texts, unreadable);
  reply({ facts: markUsed(readDocument($, base, /^\s*<!doctype/i.test(html), css)) });
});
reply({ sheets: findSheets($) });

function findSheets(page: CheerioAPI): SheetSources {
  const inline = page("style")
    .toArray()
    .map((element) => page(element).text());
  const styled = page("[style]")
    .toArray()
    .slice(0, 2_000)
    .map((element) => `[style] { ${page(element).attr("style") ?? ""} }`);
  const urls = page('link[rel~="stylesheet"][href]')
    .toArray()
    .flatMap((element) => {
      const url = parseUrl(page(element).attr("href") ?? "", base);
      return url === undefined ? [] : [url.href];
    });
  return { texts: [...inline, ...styled], urls };
}

function reply(message: StaticReply): void {
  parentPort?.postMessage(message, []);
}
