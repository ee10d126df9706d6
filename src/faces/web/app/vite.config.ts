import { defineConfig, type Plugin } from "vite";

/** The dashboard: an entry, a chunk for each view that is not the first, one style sheet. `--mode card`: the card, in one file. */
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: "/",
  publicDir: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: mode === "card" ? [inOneFile()] : [],
  build: {
    emptyOutDir: mode !== "card",
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // The helper would put the address of each chunk into the page before it is needed.
    modulePreload: false,
    reportCompressedSize: false,
    ...(mode === "card" ? { rolldownOptions: { input: `${import.meta.dirname}/card/card.html` } } : {}),
  },
}));

/** Puts the script and the styles that it uses into the page: a host gives a card no other file. */
function inOneFile(): Plugin {
  return {
    name: "in-one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script = file.code;
        else if (name.endsWith(".css")) style = String(file.source);
        delete bundle[name];
      }
      const used = withoutUnused(style, script).replaceAll("</", "<\\/");
      const code = script.replaceAll("</", "<\\/");
      const source = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Longhaul job</title><style>${used}</style><div id="app"></div><script type="module">${code}</script></html>\n`;
      this.emitFile({ type: "asset", fileName: "card.html", source });
    },
  };
}

/** Leaves out the rules of classes and elements that the script never names. */
function withoutUnused(style: string, script: string): string {
  const isUsed = (selector: string): boolean =>
    [...selector.matchAll(/\.([a-z][\w-]*)/gi)].every(
      ([, name = ""]) => name.startsWith("state-") || name.startsWith("bar-") || script.includes(name),
    );
  return style.replaceAll(/([^{}@;]+)\{([^{}]*)\}/g, (rule, selectors: string, body: string) => {
    const kept = selectors.split(",").filter(isUsed);
    return kept.length === 0 ? "" : kept.length === selectors.split(",").length ? rule : `${kept.join(",")}{${body}}`;
  });
}
