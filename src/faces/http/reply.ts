/** Nothing here is to be stored, sniffed, framed, or to load anything. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

export const jsonHeaders = { ...safetyHeaders, "content-type": "application/json" };
