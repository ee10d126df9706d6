import type { RequestOf } from "../contract.ts";
import { defined } from "../../../job/defined.ts";
import { completeData, toWish, type CompletedData, type DataSource } from "./complete-data.ts";
import type { CrawlSettings } from "../crawl-settings.ts";
import type { CrawlState } from "../site/crawl-state.ts";
import type { ParsedPage } from "../parse/parse-plan.ts";

interface PageOfCrawl {
  readonly url: string;
  readonly parsed: ParsedPage;
}

/** Adds to the fields of a page that is kept what a language model finds in its text; says how many tokens that took. */
export type ReadByModel = (
  page: PageOfCrawl,
  crawl: { readonly state: CrawlState; readonly signal: AbortSignal },
) => Promise<{ readonly parsed: ParsedPage; readonly tokens?: number }>;

/** Undefined where no model is to be asked. The plan of a crawl that has one must keep the Markdown: it is what the model reads. */
export function createReadByModel(
  input: RequestOf<"crawl">,
  { askModel }: Pick<CrawlSettings, "askModel">,
): ReadByModel | undefined {
  const wish = toWish(input);
  if (wish === undefined || askModel === undefined || input.model_tokens === 0) return undefined;
  return async ({ url, parsed }, { state, signal }) => {
    const fields = JSON.parse(`{${parsed.fields}`) as Omit<DataSource, "url">;
    const isAsked = state.counts.tokens < input.model_tokens;
    const { markdown, data, missing, is_valid, ...others } = fields;
    const byRules = defined({ data, missing, is_valid });
    const found: Partial<CompletedData> = isAsked
      ? await completeData({ url, markdown, ...byRules }, wish, askModel, signal)
      : byRules;
    const { tokens, ...shown } = found;
    const kept = { ...others, ...(input.fields.includes("markdown") ? { markdown } : {}), ...shown };
    return {
      parsed: { ...parsed, fields: JSON.stringify(kept).slice(1) },
      tokens,
    };
  };
}
