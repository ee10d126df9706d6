import { parentPort, workerData } from "node:worker_threads";
import { parseUrl } from "../../../job/parse-url.ts";
import { decodeText } from "../../../net/fetch/decode-text.ts";
import { markUsed } from "./mark-used.ts";
import { readCss } from "./read-css.ts";
import { readDocument } from "./read-document.ts";
import { scanPage } from "./scan-page.ts";
import type { StaticDocument, StaticReply, StaticSheets } from "./static-reader.ts";

/** The thread that reads one page: first which style sheets it wants, then, given those, all the rest. */
const { body, contentType, base } = workerData as StaticDocument;
const html = decodeText(body, contentType).text;
const scan = scanPage(html);

parentPort?.once("message", ({ bodies, unreadable }: StaticSheets) => {
  const fetched = bodies.map((sheet) => decodeText(sheet, "text/css").text);
  const css = readCss([...fetched, ...scan.head.styles, ...scan.inlineStyles], unreadable);
  reply({ facts: markUsed(readDocument(scan, base, /^\s*<!doctype/i.test(html), css)) });
});
reply({ sheets: scan.head.sheets.flatMap((reference) => parseUrl(reference, base)?.href ?? []) });

function reply(message: StaticReply): void {
  parentPort?.postMessage(message, []);
}
