import { createHmac, timingSafeEqual } from "node:crypto";
import { isJobId, type JobId } from "../job/id.ts";
import type { AttemptReference } from "./access.ts";

export interface AttemptTokens {
  /** Absent where no secret is set. */
  readonly issue?: (id: JobId, attempt: number) => string;
  /** The attempt that a token was issued for, whether it still runs or not; undefined if it is none of ours. */
  readonly read: (text: string) => AttemptReference | undefined;
}

export const isAttemptToken = (text: string): boolean => text.startsWith("lhj_");

const tokenPattern = /^lhj_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_(\d{1,9})_([\w-]{43})$/;

/** A token wherever it stands in a text, and how long it is at most. */
export const attemptTokenText = String.raw`lhj_[0-9a-f]{32}_\d{1,9}_[\w-]{43}`;
export const longestAttemptToken = 90;

/**
 * Tokens that need not be stored: each names its attempt, and proves by a keyed digest that it was issued here. So a command that has
 * outlived its server has the right one for the next.
 */
export function createAttemptTokens(secret: string | undefined): AttemptTokens {
  if (secret === undefined) return { read: () => undefined };
  const digest = (id: string, attempt: number): string =>
    createHmac("sha256", secret).update(`attempt ${id} ${attempt}`).digest("base64url");
  return {
    issue: (id, attempt) => `lhj_${id.replaceAll("-", "")}_${attempt}_${digest(id, attempt)}`,
    read: (text) => {
      const parts = tokenPattern.exec(text);
      if (parts === null) return undefined;
      const job = parts.slice(1, 6).join("-");
      const attempt = Number(parts[6]);
      const isIssued = timingSafeEqual(Buffer.from(digest(job, attempt)), Buffer.from(parts[7] ?? ""));
      return isIssued && isJobId(job) ? { job, attempt } : undefined;
    },
  };
}
