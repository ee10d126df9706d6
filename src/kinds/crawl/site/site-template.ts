import { originOf } from "./page-url.ts";

/** Fewer pages than this may share a block by chance. */
const leastPages = 4;
const leastShare = 0.6;
const maxHosts = 64;
const maxBlocks = 2_000;
/** Later the answer changes slowly. */
const pagesBetween = 16;

interface HostBlocks {
  pages: number;
  readonly counts: Map<number, number>;
  template: Int32Array;
}

/**
 * Learns, page by page, which blocks stand on most pages of a host: they belong to the site, not to the page. What it knows is not written
 * down; a crawl that goes on after a crash learns it again.
 */
export class SiteTemplate {
  readonly #hosts = new Map<string, HostBlocks>();

  /** The blocks to be left out of a page. */
  of(url: string): Int32Array | undefined {
    const template = this.#hosts.get(originOf(url))?.template;
    return template === undefined || template.length === 0 ? undefined : template;
  }

  /** Takes the blocks of a page that was kept, each once. */
  learn(url: string, blocks: Int32Array): void {
    const known = this.#hosts.get(originOf(url)) ?? this.#add(originOf(url));
    if (known === undefined) return;
    known.pages += 1;
    for (const block of new Set(blocks)) {
      const count = known.counts.get(block);
      if (count !== undefined || known.counts.size < maxBlocks) known.counts.set(block, (count ?? 0) + 1);
    }
    if (known.counts.size >= maxBlocks) forgetRare(known);
    if (known.pages < pagesBetween || known.pages % pagesBetween === 0) known.template = templateOf(known);
  }

  #add(host: string): HostBlocks | undefined {
    if (this.#hosts.size >= maxHosts) return undefined;
    const known = { pages: 0, counts: new Map<number, number>(), template: new Int32Array() };
    this.#hosts.set(host, known);
    return known;
  }
}

function templateOf({ pages, counts }: HostBlocks): Int32Array {
  const least = Math.max(leastPages, pages * leastShare);
  return Int32Array.from([...counts].flatMap(([block, count]) => (count >= least ? block : [])));
}

/** A block that most pages have is seen again soon. */
function forgetRare({ counts }: HostBlocks): void {
  for (const [block, count] of counts) if (count < leastPages) counts.delete(block);
}
