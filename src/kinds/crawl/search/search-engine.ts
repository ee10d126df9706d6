import { z } from "zod";
import type { RequestOf } from "../contract.ts";

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly source: string;
  readonly published?: string;
  readonly thumbnail?: string;
  readonly image?: string;
  readonly width?: number;
  readonly height?: number;
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly suggestions: readonly string[];
  readonly infobox: { readonly title: string; readonly content: string; readonly url: string } | null;
  readonly engines: readonly string[];
}

export type SearchQuery = Omit<RequestOf<"search">, "action">;

/** How one search engine is asked, and how it answers. */
export interface SearchEngine {
  /** Where it answers unless the configuration says otherwise. */
  readonly address: string;
  readonly request: (query: SearchQuery, key: string) => EngineRequest;
  readonly read: (answer: unknown, query: SearchQuery) => Partial<SearchAnswer>;
}

export interface EngineRequest {
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** Text in an answer, if it is text. */
export const text = z.string().nullish().catch(undefined);
export const number = z.number().nullish().catch(undefined);

type Loose<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

/** Leaves out results that have no address, and facts that an engine does not know. */
export function toResults(found: readonly Loose<SearchResult>[], engine: string): SearchResult[] {
  return found.flatMap(({ url, title, snippet, source, ...facts }) => {
    const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null && value !== "");
    if (!url) return [];
    const result = { title: title ?? "", url, snippet: snippet ?? "", source: source ?? engine };
    return [{ ...result, ...(Object.fromEntries(known) as Partial<SearchResult>) }];
  });
}
