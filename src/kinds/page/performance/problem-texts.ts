type Text = readonly [title: string, advice: string];

/** What was found, and what to do about it. */
export const problemTexts = {
  "unused-css": [
    "Style rules match nothing on the page",
    "Drop them, or load them with the pages and windows that need them.",
  ],
  "unused-script": ["Scripts are loaded that the page does not run", "Split them, and load a part when it is needed."],
  uncompressed: ["Text is sent unpacked", "Have the server pack it with brotli, zstd or gzip."],
  "cache-short": [
    "Files are not kept by browsers for long",
    "Name files by their content, and send cache-control: max-age=31536000, immutable.",
  ],
  "image-format": ["Images are in an old format", "Serve them as AVIF or WebP."],
  "image-too-large": ["Images have more pixels than are shown", "Serve them in the sizes that are shown (srcset)."],
  "image-no-size": ["The page keeps no room for its images", "Give them width and height."],
  "image-not-lazy": ["Images far below are loaded at once", 'Add loading="lazy" to them.'],
  "image-lazy-first": [
    "Images of the first window are loaded late",
    'Remove loading="lazy" from what is seen first, and give the largest fetchpriority="high".',
  ],
  "render-blocking": [
    "The first paint waits for files",
    "Add defer to scripts, and load styles of other pages and sites later.",
  ],
  "tree-large": ["The document is large", "Show long lists in parts, and flatten nested boxes."],
  "third-party": ["Other sites send much of the page", "Drop what is not needed, and load the rest when it is."],
  duplicate: ["The same file is fetched more than once", "Name it by one address, and let browsers keep it."],
  "large-file": ["Single files are very large", "Split or shrink them."],
  redirect: ["Requests are sent on to other addresses", "Name the last address at once."],
  http1: [
    "Many files come by an old version of HTTP",
    "Switch on HTTP/2 or HTTP/3, which fetch all of them through one connection.",
  ],
} as const satisfies Record<string, Text>;
