import { defineConfig } from "vite";

/** The dashboard: an entry, a chunk for each view that is not the first, one style sheet. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  publicDir: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // The helper would put the address of each chunk into the page before it is needed.
    modulePreload: false,
    reportCompressedSize: false,
  },
});
