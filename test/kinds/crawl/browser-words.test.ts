import { expect, it } from "vitest";
import { tellBrowserError } from "../../../src/kinds/crawl/page/browser-words.ts";

it.each([
  [
    "page.click: Timeout 10000ms exceeded.\nCall log:\n\u001b[2m  - waiting\u001b[22m",
    "#go",
    'No element for "#go" was there and ready within 10 s.',
  ],
  ["page.goto: Timeout 1500ms exceeded.", undefined, "It was not done within 1.5 s."],
  [
    "page.goto: net::ERR_NAME_NOT_RESOLVED at https://a.example/",
    undefined,
    "https://a.example/ could not be opened (ERR_NAME_NOT_RESOLVED).",
  ],
  ["locator.screenshot: \u001b[31mError: it is hidden\u001b[39m", "p", "it is hidden"],
  ["cdpSession.send: Protocol error (Page.navigate): Cannot navigate", undefined, "Cannot navigate"],
  ["page.evaluate: ReferenceError: x is not defined\n    at eval", undefined, "ReferenceError: x is not defined"],
  [
    "page.evaluate: Execution context was destroyed, most likely because of a navigation.",
    undefined,
    "The page led elsewhere before it was done.",
  ],
  ["https://a.example/ may not be fetched: its robots.txt forbids it.", undefined, undefined],
])(
  "what a browser says of a failed step is told without its driver's names, colours and log: %j",
  (message, selector, told = message) => {
    expect(tellBrowserError(new Error(message), selector)).toBe(told);
  },
);
