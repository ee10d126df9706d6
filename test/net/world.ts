import { createAddressRules } from "../../src/net/address/address-rules.ts";
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from "../../src/net/fetch/guarded-fetch.ts";
import { closeAfterTest } from "./listeners.ts";

/** A guarded fetch that may go where `allow` says, besides the public internet. */
export function guardedFetch(
  allow: readonly string[] = [],
  options: Omit<Partial<GuardedFetchOptions>, "rules"> = {},
): GuardedFetch {
  const guarded = createGuardedFetch({ rules: createAddressRules(allow), userAgent: "Longhaul/test", ...options });
  closeAfterTest(guarded.close);
  return guarded;
}
