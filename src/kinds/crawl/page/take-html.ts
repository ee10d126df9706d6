import type { CDPSession, Page } from "playwright-core";
import { JobFailure } from "../../../job/failure.ts";
import type { FrameBody } from "../parse/parse-plan.ts";

/** What a page has become in the browser, as much as may be taken of it. */
export interface TakenPage {
  readonly url: string;
  readonly body: Uint8Array;
  /** Those of the page's own origin, where it has next to no text of its own. */
  readonly frames: readonly FrameBody[];
}

const contentType = "text/html; charset=utf-8";
const maxFrames = 8;
/** As much as one message of the browser holds: reading it must not keep the server from its other work. */
const pieceLength = 500_000;
const maxTries = 3;
const maxFramedLength = 200_000;

/**
 * In a world of its own beside the page's scripts: what they have made of `String` or `Element` does not count there. The texts stay in
 * the browser, and are cut there.
 */
const collect = (maxLength: number): string => `(() => {
  const fewCharacters = 200;
  const texts = [];
  let left = ${maxLength};
  const add = (document) => {
    const root = document.documentElement;
    if (root === null || left <= 0) return;
    const html = ((document.doctype === null ? "" : "<!doctype html>") + root.outerHTML).slice(0, left);
    left -= html.length;
    texts.push({ url: document.baseURI, html });
  };
  const addFrames = (document) => {
    for (const frame of document.querySelectorAll("frame, iframe")) {
      if (texts.length > ${maxFrames}) return;
      const { width, height } = frame.getBoundingClientRect();
      const inside = width > 1 && height > 1 ? frame.contentDocument : null;
      if (inside === null) continue;
      add(inside);
      addFrames(inside);
    }
  };
  add(document);
  // The text as it is shown is known only when all is laid out: of much it is not asked.
  if (texts[0]?.html.length < ${maxFramedLength} && (document.body?.innerText ?? "").trim().length < fewCharacters) addFrames(document);
  globalThis.takenTexts = texts.map(({ html }) => html);
  return texts.map(({ url, html }) => ({ url, length: html.length }));
})()`;

/** A pair of characters that are one sign is not torn apart. */
const readPiece = (index: number, from: number): string => `(() => {
  const text = globalThis.takenTexts[${index}];
  const to = Math.min(text.length, ${from + pieceLength});
  const isTorn = to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800;
  return text.slice(${from}, isTorn ? to - 1 : to);
})()`;

/** Takes no more than so many bytes out of the browser, however much the page has become. */
export async function takeHtml(page: Page, maxBytes: number): Promise<TakenPage> {
  const devtools = await page.context().newCDPSession(page);
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await takeOnce(page, devtools, maxBytes);
      } catch (error) {
        // Pages that lead on as they load take their world with them.
        if (tries === maxTries || error instanceof JobFailure) throw error;
      }
    }
  } finally {
    devtools.detach().catch(() => undefined);
  }
}

async function takeOnce(page: Page, devtools: CDPSession, maxBytes: number): Promise<TakenPage> {
  const evaluate = await openWorld(devtools);
  const url = page.url();
  const found = (await evaluate(collect(maxBytes))) as { url: string; length: number }[];
  const bodies: FrameBody[] = [];
  let left = maxBytes;
  for (const [index, text] of found.entries()) {
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < text.length;) {
      const piece = String(await evaluate(readPiece(index, from)));
      if (piece === "") break;
      pieces.push(new TextEncoder().encode(piece));
      from += piece.length;
    }
    const body = Buffer.concat(pieces).subarray(0, left);
    left -= body.length;
    bodies.push({ url: text.url, body, contentType });
  }
  const [main, ...frames] = bodies;
  return { url, body: main?.body ?? new Uint8Array(), frames };
}

async function openWorld(devtools: CDPSession): Promise<(expression: string) => Promise<unknown>> {
  const { frameTree } = await devtools.send("Page.getFrameTree");
  const { executionContextId: contextId } = await devtools.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  return async (expression) => {
    const options = { expression, contextId, returnByValue: true };
    const { result, exceptionDetails } = await devtools.send("Runtime.evaluate", options);
    if (exceptionDetails === undefined) return result.value as unknown;
    throw new JobFailure("too_large", "The page is too large to be taken out of the browser.", { retryable: false });
  };
}
