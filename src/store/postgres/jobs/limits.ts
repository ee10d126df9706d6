import type { KindLimits } from "../../kind-limits.ts";
import type { Lookup } from "../writing/unit.ts";

/** What was last said of a kind. */
export const limits: Lookup<KindLimits> = {
  name: "limits of",
  order: 3,
  load: async (session, kinds) => {
    const rows = await session.query<{ kind: string; limits: string }>(
      "SELECT kind, limits FROM longhaul.limits WHERE kind = ANY ($1::text[])",
      [kinds],
    );
    return new Map(rows.map((row) => [row.kind, parseLimits(row.limits)]));
  },
};

/** Undefined where nothing is limited. */
export function toLimitsText({ perKey, perKeyOf, rate }: KindLimits): string {
  const finite = perKey === undefined || perKey === Infinity ? {} : { perKey };
  const keys = [...(perKeyOf ?? [])].map(([key, limit]) => [
    key,
    Number.isFinite(limit) ? limit : Number.MAX_SAFE_INTEGER,
  ]);
  return JSON.stringify({ ...finite, perKeyOf: keys.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)), rate });
}

export function parseLimits(text: string): KindLimits {
  const { perKeyOf, ...others } = JSON.parse(text) as Omit<KindLimits, "perKeyOf"> & { perKeyOf: [string, number][] };
  return { ...others, ...(perKeyOf.length > 0 ? { perKeyOf: new Map(perKeyOf) } : {}) };
}
