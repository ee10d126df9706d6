import type { Attributes } from "./element-rules.ts";

/** How a page may be made of more than its own HTML. */
export interface Making {
  /** Whether a program runs in it: data for machines is no program. */
  readonly hasScripts: boolean;
  /** The element that frameworks fill is there, and empty. */
  readonly hasEmptyRoot: boolean;
  /** Some element with a name is empty: a script may fill it. */
  readonly hasEmptyPlace: boolean;
  /** What it tells readers without scripts. */
  readonly noscript: string;
  /** Where it leads by itself after so many seconds; the reference as it is written. */
  readonly refresh: { readonly seconds: number; readonly reference: string } | undefined;
  /** References of the frames that are to be seen. */
  readonly frames: readonly string[];
  /** Its frames are all there is of it. */
  readonly isFrameset: boolean;
}

const maxFrames = 8;
const longestNoscript = 500;
const rootNames = /^(root|app|__next|__nuxt|___gatsby|svelte|react-root|app-root|main-app|application|mount)$/i;
const places = new Set(["div", "main", "section", "article", "ul", "ol", "tbody"]);
/** Data, templates: types of scripts that the browser does not run. */
const program = /^\s*($|module|text\/babel|(text|application)\/(x-)?(java|ecma)script)/i;

/** Notes, in one pass over a page, what tells that its own HTML is not all of it. Costs next to nothing where nothing does. */
export class PageSigns {
  #hasScripts = false;
  #hasEmptyRoot = false;
  #hasEmptyPlace = false;
  #noscript = "";
  #refresh: Making["refresh"];
  readonly #frames: string[] = [];
  #isFrameset = false;
  /** Depths of elements that are open: one whose text is none of the page, a root, the last place. */
  #mute: { readonly depth: number; readonly isNoscript: boolean } | undefined;
  #root: number | undefined;
  #place: number | undefined;

  /** `depth` says how many elements are open around it. */
  openTag(name: string, attributes: Attributes, depth: number): void {
    switch (name) {
      case "script":
        if (program.test(attributes["type"] ?? "")) this.#hasScripts = true;
        this.#mute ??= { depth, isNoscript: false };
        return;
      case "noscript":
        this.#mute ??= { depth, isNoscript: true };
        return;
      case "style":
      case "template":
      case "title":
        this.#mute ??= { depth, isNoscript: false };
        return;
      case "meta":
        if (this.#mute === undefined) this.#readRefresh(attributes);
        return;
      case "frameset":
        this.#isFrameset = true;
        return;
      case "frame":
      case "iframe":
        if (this.#mute === undefined) this.#addFrame(attributes);
        return;
      default:
        if (this.#mute === undefined) this.#openPlace(name, attributes["id"], depth);
    }
  }

  text(text: string): void {
    if (this.#mute !== undefined) {
      if (this.#mute.isNoscript && this.#noscript.length < longestNoscript) this.#noscript += text;
    } else if ((this.#root !== undefined || this.#place !== undefined) && /\S/.test(text)) {
      this.#root = undefined;
      this.#place = undefined;
    }
  }

  /** `depth` as it was when the element began. */
  closeTag(depth: number): void {
    if (this.#mute !== undefined) {
      if (depth <= this.#mute.depth) this.#mute = undefined;
      return;
    }
    if (this.#root !== undefined && depth <= this.#root) {
      this.#hasEmptyRoot = true;
      this.#root = undefined;
    }
    if (this.#place !== undefined && depth <= this.#place) {
      this.#hasEmptyPlace = true;
      this.#place = undefined;
    }
  }

  result(): Making {
    return {
      hasScripts: this.#hasScripts,
      hasEmptyRoot: this.#hasEmptyRoot,
      hasEmptyPlace: this.#hasEmptyPlace,
      noscript: this.#noscript,
      refresh: this.#refresh,
      frames: this.#frames,
      isFrameset: this.#isFrameset,
    };
  }

  #openPlace(name: string, id: string | undefined, depth: number): void {
    const isOwn = name.includes("-");
    if (id === undefined && !isOwn) return;
    if (rootNames.test(id ?? "") || (isOwn && rootNames.test(name))) this.#root ??= depth;
    else if (isOwn || places.has(name)) this.#place = depth;
  }

  #readRefresh({ "http-equiv": header, content = "" }: Attributes): void {
    if (this.#refresh !== undefined || header?.trim().toLowerCase() !== "refresh") return;
    const [, seconds = "", rest = ""] = /^\s*(\d{0,6})(?:\.\d*)?\s*[;,\s]\s*(.+)$/s.exec(content.slice(0, 3_000)) ?? [];
    const reference = rest
      .replace(/^url\s*=\s*/i, "")
      .replace(/^(["'])(.*?)\1.*$/s, "$2")
      .trim();
    if (reference !== "") this.#refresh = { seconds: Number(seconds), reference };
  }

  #addFrame({ src = "", width, height, style = "", hidden }: Attributes): void {
    const isTiny = /^\s*[01](px)?\s*$/.test(width ?? "") || /^\s*[01](px)?\s*$/.test(height ?? "");
    const isHidden = hidden !== undefined || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
    if (src === "" || isTiny || isHidden || this.#frames.length >= maxFrames) return;
    this.#frames.push(src);
  }
}
