import type { Finding, Severity } from "./quality.ts";

type Text = readonly [topic: Finding["topic"], severity: Severity, title: string, advice: string];

/** What a finding is about, how bad it is where it does not say so itself, and what to do about it. */
export const findingTexts = {
  "a11y-document-title": [
    "accessibility",
    "serious",
    "The page has no title",
    "Give it a title of 10 to 60 characters.",
  ],
  "a11y-html-has-lang": ["accessibility", "serious", "The page does not say its language", "Set lang on <html>."],
  "a11y-page-has-heading-one": [
    "accessibility",
    "moderate",
    "The page has no main heading",
    "Add one <h1> that says what the page is.",
  ],
  "a11y-heading-order": ["accessibility", "moderate", "Headings skip a level", "Go down one level at a time."],
  "title-long": ["seo", "minor", "The title is cut in search results", "Shorten it to 60 characters."],
  "description-missing": ["seo", "moderate", "The page has no description", "Describe it in 50 to 160 characters."],
  noindex: ["seo", "moderate", "Search engines are told to leave the page out", "Remove noindex if it is to be found."],
  "viewport-missing": [
    "practice",
    "serious",
    "Phones show the page shrunk",
    "Add width=device-width, initial-scale=1.",
  ],
  "heading-many": ["seo", "minor", "The page has several main headings", "Keep one <h1>."],
  "link-text": ["seo", "minor", "Links do not say where they lead", "Name the target in the link."],
  "link-broken": ["links", "serious", "Links lead nowhere", "Correct or remove them."],
  "image-broken": ["links", "serious", "Images do not load", "Correct their addresses."],
  "image-unsized": [
    "performance",
    "moderate",
    "Images have no size until they are loaded",
    "Set width and height, so that nothing moves when they arrive.",
  ],
  "image-oversized": [
    "performance",
    "moderate",
    "Images are far larger than shown",
    "Serve them in the sizes that are shown (srcset).",
  ],
  "image-eager": ["performance", "minor", "Images far below are loaded at once", 'Add loading="lazy" to them.'],
  "doctype-missing": [
    "practice",
    "moderate",
    "The browser shows the page in quirks mode",
    "Begin with <!doctype html>.",
  ],
  "mixed-content": ["practice", "serious", "A secure page loads parts over http", "Use https for all of them."],
  "script-blocking": ["performance", "moderate", "Scripts hold up the first paint", "Add defer, or move them."],
  "inline-handlers": [
    "practice",
    "minor",
    "Event handlers are written into the markup",
    "Register them in scripts: a content security policy can then forbid inline code.",
  ],
  "font-display": ["performance", "minor", "Text waits for its font", "Set font-display: swap."],
  "dom-size": ["performance", "moderate", "The document is very large", "Show long lists in parts."],
  "vitals-lcp": [
    "performance",
    "moderate",
    "The main content appears late",
    "Load that element's resources first, and fewer before it.",
  ],
  "vitals-cls": [
    "performance",
    "moderate",
    "Content moves while the page loads",
    "Reserve space for what comes later.",
  ],
  "vitals-tbt": ["performance", "moderate", "Scripts keep the page from answering", "Split or defer long scripts."],
  "vitals-ttfb": ["performance", "moderate", "The server answers late", "Cache the page, or serve it from nearer."],
  weight: ["performance", "moderate", "The page is heavy", "Compress images and drop what is not needed."],
  requests: ["performance", "minor", "The page needs many requests", "Join small files, and load what is below later."],
  "request-failed": [
    "errors",
    "moderate",
    "Parts of the page could not be loaded",
    "Correct or remove these addresses.",
  ],
  "console-errors": ["errors", "moderate", "Scripts report errors", "Correct the scripts; see the browser's console."],
  dialogs: ["practice", "moderate", "The page opens dialogs by itself", "Show messages in the page."],
  downloads: ["practice", "moderate", "The page starts downloads by itself", "Download only what somebody asks for."],
  "https-missing": [
    "practice",
    "moderate",
    "The page is not served over https",
    "Serve it over https, and redirect http to it.",
  ],
} as const satisfies Record<string, Text>;
