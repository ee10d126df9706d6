import type { PageAnalysis } from "../../../../kinds/page/contract.ts";

export type Found<Part extends keyof PageAnalysis> = NonNullable<PageAnalysis[Part]>;
export type View = Record<string, unknown>;

/**
 * How much a reply shows. `summary: true` is the short form: figures without their lists; nothing said is the light
 * one: everything, with long lists cut; `summary: false` is the whole.
 */
export interface Extent {
  readonly form: "short" | "light" | "whole";
  /** Goes before the usual length of a list. */
  readonly limit?: number | undefined;
}

export const whole: Extent = { form: "whole" };

const maxLimit = 1_000;

export function toExtent({
  summary,
  limit,
}: {
  readonly summary?: boolean | undefined;
  readonly limit?: number | undefined;
}): Extent {
  return { form: summary === undefined ? "light" : summary ? "short" : "whole", limit };
}

/** A list that is longer than `usual` is told in part, unless all was asked for. */
export function cut<Entry>(list: readonly Entry[], usual: number, { form, limit = usual }: Extent): readonly Entry[] {
  return form === "whole" ? list : list.slice(0, Math.min(maxLimit, limit));
}
