import type { Actor } from "../../engine/access.ts";

/** Something that a caller holds open: a session, a stream. */
export interface Held {
  /** Since when it has done nothing; undefined while it is in use. */
  readonly idleSince: () => number | undefined;
  readonly end: () => void;
}

interface Place {
  readonly held: Held;
  readonly token: string | undefined;
  readonly owner: string | undefined;
}

/** What one token, and all tokens of one owner, may hold of the whole. */
const tokenShare = 1 / 4;
const ownerShare = 1 / 2;

/**
 * Places that are given out to callers, none of whom can take them all. Whoever has their share, and whoever comes when all are taken, gets the
 * place that was idle for longest: their own in the first case, anybody's in the second.
 */
export class Shares {
  readonly #max: number;
  readonly #places = new Set<Place>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#places.size;
  }

  /** How to give the place back, or why there is none: the caller's share is used up, or all are taken. */
  take(actor: Actor, held: Held): (() => void) | "share" | "all" {
    const { owner, scope, by = "" } = actor;
    // Without a scope it is this machine's user, who has no token that could be one of many.
    const token = scope === undefined ? undefined : JSON.stringify([owner, by]);
    const isOfToken = (place: Place): boolean => place.token === token;
    const isOfOwner = (place: Place): boolean => place.owner === owner;
    if (token !== undefined && !this.#makeRoom(isOfToken, this.#max * tokenShare)) return "share";
    if (owner !== undefined && !this.#makeRoom(isOfOwner, this.#max * ownerShare)) return "share";
    if (!this.#makeRoom(() => true, this.#max)) return "all";
    const place: Place = { held, token, owner };
    this.#places.add(place);
    return () => void this.#places.delete(place);
  }

  /** Whether one more of these can be had. */
  #makeRoom(isMeant: (place: Place) => boolean, max: number): boolean {
    const places = [...this.#places].filter(isMeant);
    if (places.length < Math.max(1, Math.floor(max))) return true;
    let oldest: { place: Place; since: number } | undefined;
    for (const place of places) {
      const since = place.held.idleSince();
      if (since !== undefined && since < (oldest?.since ?? Infinity)) oldest = { place, since };
    }
    if (oldest === undefined) return false;
    this.#places.delete(oldest.place);
    oldest.place.held.end();
    return true;
  }
}

/** A stream that has told nothing for so long counts as idle. */
const quietMs = 60_000;

/** For streams: when they last told something. */
export class QuietClock {
  #toldAt = performance.now();

  told(): void {
    this.#toldAt = performance.now();
  }

  idleSince(): number | undefined {
    return performance.now() - this.#toldAt > quietMs ? this.#toldAt : undefined;
  }
}
