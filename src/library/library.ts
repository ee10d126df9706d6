import type { KeptPage, PageAnalysis, PageInput, SectionSource } from "../kinds/page/contract.ts";
import type { Json } from "../job/json.ts";

export const entryKinds = ["section", "motion", "background", "responsive"] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Something on a page that can be looked for. */
export interface Entry {
  readonly id: string;
  readonly kind: EntryKind;
  /** Of a section, a motion or a background what it is. */
  readonly type: string;
  readonly title: string;
  /** All words by which it is found besides its type and title. */
  readonly text: string;
  /** What it looks like, in figures from 0 to 1. */
  readonly vector: readonly number[];
  readonly facts: EntryFacts;
  readonly source?: SectionSource;
}

export type EntryFacts = Readonly<Record<string, Json>>;

export interface PageFacts {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly keptAt: number;
  /** Grows with every page that is kept. */
  readonly place: number;
  readonly sections: number;
  readonly motions: number;
  readonly bytes: number;
}

export interface FoundEntry extends Omit<Entry, "vector" | "text" | "source"> {
  readonly text: string;
  readonly similarity: number;
  readonly page: Pick<PageFacts, "id" | "url" | "title" | "keptAt">;
  /** Whether its elements and styles are kept. */
  readonly hasSource: boolean;
}

/** A figure that is looked for, by its place in the vector. */
export interface Wish {
  readonly place: number;
  readonly value: number;
}

/** What an entry's facts must say: the value at the key is one of these, holds one of them, or lies between them. */
export type Condition =
  | { readonly key: string; readonly anyOf: readonly (string | boolean)[] }
  | { readonly key: string; readonly min?: number; readonly max?: number }
  /** A colour of the list that looks like this one. */
  | { readonly key: string; readonly color: string; readonly tolerance: number };

export interface SearchRequest {
  readonly kind: EntryKind;
  readonly query?: string;
  /** An entry to which the others are to be similar. */
  readonly like?: string;
  readonly wishes?: readonly Wish[];
  readonly types?: readonly string[];
  readonly page?: string;
  readonly conditions?: readonly Condition[];
  /** Less similar ones are left out; 0 leaves out what has nothing of what is looked for. */
  readonly minSimilarity?: number;
  readonly limit: number;
  readonly offset: number;
}

/** Whose pages are seen: of one owner, or of all. */
export interface Reader {
  readonly owner?: string;
}

export interface KeptAnalysis {
  readonly page: PageFacts;
  readonly owner: string;
  readonly analysis: PageAnalysis;
  readonly input: Pick<PageInput, "url" | "html">;
}

/**
 * Analysed pages, kept for longer than their jobs. What is another owner's looks as if it were not there. No part of it is needed for a
 * job: whatever goes wrong here fails the call that asked, and nothing else.
 */
export interface Library {
  /** Replaces a page of the same id; removes the oldest ones where there are too many. Durable when it resolves. */
  readonly keep: (page: KeptPage, now: number) => Promise<void>;
  readonly search: (request: SearchRequest, reader: Reader) => Promise<{ results: FoundEntry[]; total: number }>;
  readonly page: (id: string, reader: Reader) => Promise<KeptAnalysis | undefined>;
  /** The entries of a page, in its order. */
  readonly entries: (page: string, reader: Reader) => Promise<FoundEntry[]>;
  readonly entry: (
    id: string,
    reader: Reader,
  ) => Promise<{ readonly entry: FoundEntry; readonly source?: SectionSource } | undefined>;
  /** The newest first; from those whose place is below `before`. */
  readonly list: (request: { limit: number; before?: number }, reader: Reader) => Promise<PageFacts[]>;
  /** True if it was there. */
  readonly remove: (id: string, reader: Reader) => Promise<boolean>;
  /** Removes what is older than it may be, or more; says how many pages. */
  readonly prune: (now: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

export interface LibraryLimits {
  readonly maxAgeMs: number;
  readonly maxPages: number;
  readonly maxBytes: number;
}
