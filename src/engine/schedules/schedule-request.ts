import { z } from "zod";
import { messageOf } from "../../job/failure.ts";
import { findSimilar } from "../../job/similar.ts";
import { missedPolicies } from "../../store/schedule-store.ts";
import type { SubmitRequest } from "../submit.ts";
import { never, readCron } from "./plan.ts";

const example = '"0 3 * * *"';
const longestLine = 100;

/** Any zone will do to find out what is wrong with a line. */
export const cronSchema = z.string().superRefine((line, context) => {
  const message = findFault(line);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

function findFault(line: string): string | undefined {
  if (line.length > longestLine) return `must be five fields of at most ${longestLine} characters, such as ${example}`;
  try {
    const isEver = readCron(line, "UTC").next(Date.UTC(2026, 0, 1)) !== never;
    return isEver ? undefined : `must name a time that comes, such as ${example}`;
  } catch (error) {
    const isShort = line.trim().split(/\s+/).length !== 5;
    return isShort
      ? `must be five fields such as ${example}`
      : `must be five fields such as ${example}: ${tellFault(error)}`;
  }
}

/** `CronPattern: Invalid value for minute: 60` */
function tellFault(error: unknown): string {
  const words = messageOf(error)
    .replace(/^\w+: /, "")
    .replace(/\.$/, "");
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

export const timeZoneSchema = z
  .string()
  .max(100)
  .superRefine((tz, context) => {
    if (isTimeZone(tz)) return;
    const similar = findSimilar(tz, Intl.supportedValuesOf("timeZone"));
    const meant = similar === undefined ? "" : ` (did you mean ${similar}?)`;
    context.addIssue({ code: "custom", message: `must be a time zone such as Europe/Berlin${meant}` });
  });

function isTimeZone(tz: string): boolean {
  try {
    return tz !== "" && readCron("0 3 * * *", tz).next(Date.UTC(2026, 0, 1)) !== never;
  } catch {
    return false;
  }
}

const dayMs = 24 * 3_600_000;

export const everySchema = z
  .int()
  .min(1_000)
  .max(366 * dayMs);

/** Not as a pattern of the schema: clients of MCP need not know classes of Unicode. */
export const scheduleNameSchema = z
  .string()
  .min(1)
  .max(100)
  .refine(
    (name) => name === name.trim() && !/\p{C}/u.test(name),
    "expected a name such as nightly-backup, without control characters or spaces around it",
  );

/** The job's own fields are checked as those of every job are. */
export const scheduleRequestSchema = z
  .strictObject({
    name: scheduleNameSchema,
    cron: cronSchema.optional(),
    tz: timeZoneSchema.optional(),
    everyMs: everySchema.optional(),
    missed: z.enum(missedPolicies).optional(),
    overlap: z.boolean().optional(),
    job: z.custom<SubmitRequest>((job) => typeof job === "object" && job !== null, "expected a job to start"),
  })
  .refine(
    ({ cron, everyMs }) => (cron === undefined) !== (everyMs === undefined),
    `must have either cron, such as ${example}, or every, such as 10m`,
  )
  .refine(({ tz, everyMs }) => tz === undefined || everyMs === undefined, "must have tz only together with cron");

/**
 * What to start, and when: by a cron line in a time zone (this machine's unless given), or every so often. `missed` says what
 * happens to times at which the engine did not run ("once" unless given), `overlap` lets a run begin though the one before is not over.
 */
export type ScheduleRequest = z.input<typeof scheduleRequestSchema>;
