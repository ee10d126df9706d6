import { z } from "zod";
import type { AnswerOf } from "../../../operations/registry.ts";
import { countText } from "../../../text/count-text.ts";
import { escapeControls } from "../../../text/controls.ts";
import { shortId } from "./job-text.ts";

const maxLines = 10;
const count = z.number().default(0);
const digestSchema = z.object({
  duplicates: z.object({
    exact: count,
    near: count,
    canonical: count,
    dropped: z.array(z.object({ url: z.string(), kept: z.string(), of: z.string() })).default([]),
  }),
});

/** How many pages a crawl has dropped as duplicates, and of which pages the first ones are; empty for none. */
export function droppedPagesText({ id, result }: Pick<AnswerOf<"job_get">, "id" | "result">): string {
  const duplicates = digestSchema.safeParse(result).data?.duplicates;
  if (duplicates === undefined) return "";
  const { exact, near, canonical, dropped } = duplicates;
  const total = exact + near + canonical;
  if (total === 0) return "";
  const lines = dropped
    .slice(0, maxLines)
    .map(({ url, kept, of }) => `  ${escapeControls(`${url}  ${of} of ${kept}`)}`);
  const isAll = lines.length === dropped.length;
  const rest = isAll ? [] : [`  … longhaul show ${shortId(id)} --json lists more`];
  return [`${countText(total, "duplicate")} dropped (crawl with --duplicates keep for all)`, ...lines, ...rest].join(
    "\n",
  );
}
