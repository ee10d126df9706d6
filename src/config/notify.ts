import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { notifyOccasions, parseNotifyTarget } from "../job/notify.ts";
import { parseUrl } from "../job/parse-url.ts";
import { isHttpUrl } from "../job/webhook.ts";

export const notifySchema = z.strictObject({
  to: z.array(z.string()).max(10).default([]).describe("Whom jobs tell that name nobody: desktop, or URLs."),
  on: z.array(z.enum(notifyOccasions)).min(1).optional().describe("On which occasions, where a job does not say."),
  only_after_s: z.number().min(0).optional().describe("Those are told of an end only if the job took this long."),
  all_owners: z.boolean().default(false).describe("Whether those are told of the jobs of every owner."),
  link: z.string().optional().describe("Where a notification leads to: an address with {id} in it for the job's."),
});

/** Apart from the schema, whose complaints show what came: an address must not be shown. */
export function checkNotify({ to, link }: z.output<typeof notifySchema>): void {
  for (const target of to) parseNotifyTarget(target, "notify.to");
  const url = link === undefined ? undefined : parseUrl(link);
  if (link === undefined || (url !== undefined && isHttpUrl(url) && link.includes("{id}"))) return;
  throw new LonghaulError(
    "invalid_input",
    "notify.link must be an http or https address with {id} in it, such as https://longhaul.example/jobs/{id}.",
    { details: { field: "notify.link" } },
  );
}
