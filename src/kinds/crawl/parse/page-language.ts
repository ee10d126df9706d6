import type { ReadDocument } from "./read-document.ts";

/** A page in another language, as `hreflang` tells of it. */
export interface Alternate {
  readonly url: string;
  /** In small letters. */
  readonly language: string;
}

type Multilingual = Pick<ReadDocument, "language" | "alternates" | "canonical">;

/** What the page says its language is, or else what it says of itself among its alternates. */
export function languageOfPage(document: Multilingual, url: string): string {
  if (document.language !== "") return document.language;
  return ownTags(document, url).find((tag) => tag !== "x-default") ?? "";
}

/**
 * The same for pages of one language. Pages that name each other as alternates are never the same, even if they say the same
 * (English for two countries): each is told by its tag, or else by the others that it names.
 */
export function languageKey(document: Multilingual, url: string): string {
  const { alternates } = document;
  const [primary = ""] = languageOfPage(document, url).toLowerCase().split(/[-_]/);
  if (alternates.length === 0) return primary;
  const own = ownTags(document, url);
  const tags = own.length > 0 ? own : alternates.map(({ url: target, language }) => `${language} ${target}`);
  return `${primary} ${tags.toSorted().join(" ")}`;
}

function ownTags({ alternates, canonical, language }: Multilingual, url: string): string[] {
  const tagsOf = (target: string | undefined): string[] =>
    alternates.filter((alternate) => alternate.url === target).map((alternate) => alternate.language);
  const own = tagsOf(url);
  if (own.length > 0) return own;
  const tag = language.toLowerCase().replaceAll("_", "-");
  const named = alternates.some((alternate) => alternate.language === tag) ? [tag] : [];
  const canonicals = tagsOf(canonical);
  // A canonical link into another language is a mistake.
  return canonicals.length > 0 && (tag === "" || canonicals.some((known) => isSamePrimary(known, tag)))
    ? canonicals
    : named;
}

function isSamePrimary(one: string, other: string): boolean {
  return one.split("-")[0] === other.split("-")[0];
}
