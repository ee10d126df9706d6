const hourMs = 3_600_000;

/** How long a Retry-After header asks to wait, within limits: seconds, or a date. Undefined where it says neither. */
export function parseRetryAfter(value: unknown, nowMs: number, maxMs = hourMs): number | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const waitMs = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), maxMs);
}
