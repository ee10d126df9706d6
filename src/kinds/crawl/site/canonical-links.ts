import { JobFailure } from "../../../job/failure.ts";
import type { CrawlState } from "./crawl-state.ts";
import { HashSet, hashText } from "./hash-set.ts";
import { isSameOutline } from "./kept-pages.ts";
import type { LoadedPage } from "./page-loader.ts";
import type { Scope } from "./scope.ts";

/** A page, and what its canonical link has come to. */
export interface SettledPage extends LoadedPage {
  /** The canonical URL, if that is this page. */
  readonly knownAs?: string;
  /** The page that has led to this one by its canonical link. */
  readonly via?: LoadedPage;
  /** A canonical URL that is a page of its own. */
  readonly other?: string;
}

export interface CanonicalParts {
  readonly state: CrawlState;
  readonly isInScope: Scope;
  /** Undefined where there is no page. */
  readonly load: (url: string) => Promise<LoadedPage | undefined>;
}

/**
 * Follows canonical links. Many are wrong: every page of a list names the first, every page of a template the same, or one that is
 * gone. So a link counts only if what it leads to was seen, and is of the same language with the same facts and mostly the same text.
 */
export class CanonicalLinks {
  readonly #parts: CanonicalParts;
  /** What is being looked at, for all pages that name it. */
  readonly #looks = new Map<string, Promise<LoadedPage | undefined>>();
  /** What was looked at and is not what a page said it was: not looked at again for others. */
  readonly #refused = new HashSet();

  constructor(parts: CanonicalParts) {
    this.#parts = parts;
  }

  /** The page under the URL that it is known under: itself, or what its canonical link leads to. */
  async settle(page: LoadedPage): Promise<SettledPage> {
    const target = this.#targetOf(page);
    if (target === undefined) return page;
    const known = this.#settleByKept(page, target);
    if (known !== undefined) return known;
    const found = await this.#look(target);
    // Another page that names it may have been quicker.
    const now = this.#settleByKept(page, target);
    if (now !== undefined) return now;
    if (found !== undefined && isSameOutline(page.parsed.outline, found.parsed.outline))
      return { ...found, knownAs: target, via: page };
    this.#refused.add(hashText(target));
    return found === undefined ? page : { ...page, other: target };
  }

  /** A link from deep inside to the front page is a common mistake. */
  #targetOf({ url, parsed: { canonical } }: LoadedPage): string | undefined {
    if (canonical === undefined || canonical === url || !this.#parts.isInScope(canonical)) return undefined;
    if (new URL(canonical).pathname === "/" && new URL(url).pathname !== "/") return undefined;
    return this.#refused.has(hashText(canonical)) && !this.#parts.state.hasPage(canonical) ? undefined : canonical;
  }

  #settleByKept(page: LoadedPage, target: string): SettledPage | undefined {
    const outline = this.#parts.state.outlineOf(target);
    if (outline === undefined) return undefined;
    return isSameOutline(page.parsed.outline, outline) ? { ...page, knownAs: target } : page;
  }

  #look(target: string): Promise<LoadedPage | undefined> {
    const begun = this.#looks.get(target);
    if (begun !== undefined) return begun;
    const look = this.#load(target).finally(() => this.#looks.delete(target));
    this.#looks.set(target, look);
    return look;
  }

  /** Undefined too for a page that is known under yet another URL. */
  async #load(target: string): Promise<LoadedPage | undefined> {
    try {
      const found = await this.#parts.load(target);
      if (found?.url !== target) return undefined;
      const { canonical = target } = found.parsed;
      return canonical === target ? found : undefined;
    } catch (error) {
      if (error instanceof JobFailure) return undefined;
      throw error;
    }
  }
}
