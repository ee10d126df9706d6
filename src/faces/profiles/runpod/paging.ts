import { z } from "zod";
import type { Json } from "../../../job/json.ts";
import type { RunpodReply } from "./runpod-operations.ts";

const defaultLimit = 20;
const maxLimit = 100;

/** The parameters of RunPod's lists. */
export const pageFields = {
  limit: z.int().min(1).max(maxLimit).optional().describe(`How many to show (${defaultLimit} unless given).`),
  cursor: z.string().optional().describe("nextCursor of the page before; the first page unless given."),
};

/** A page of a list in RunPod's envelope. A cursor that is none begins at the start. */
export function toPage(
  items: readonly Json[],
  { limit = defaultLimit, cursor = "" }: { limit?: number | undefined; cursor?: string | undefined },
): RunpodReply {
  const offset = readCursor(cursor);
  const page = items.slice(offset, offset + limit);
  const end = offset + page.length;
  const isMore = end < items.length;
  const pagination = {
    total: items.length,
    returned: page.length,
    offset,
    truncated: isMore,
    nextCursor: isMore ? Buffer.from(String(end)).toString("base64") : null,
    ...(isMore ? { note: `${page.length} of ${items.length}: pass nextCursor as cursor for the next.` } : {}),
  };
  return { items: page, pagination };
}

function readCursor(cursor: string): number {
  const text = Buffer.from(cursor, "base64").toString();
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
