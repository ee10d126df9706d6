import { namedAddresses } from "../engine/webhooks/webhook-rules.ts";
import type { WebhookOptions, WebhookSettings } from "../engine/webhooks/webhook-settings.ts";
import { createAddressRules, toAllowEntry } from "../net/address/address-rules.ts";
import { createGuardedFetch } from "../net/fetch/guarded-fetch.ts";
import { defaultUserAgent } from "../net/fetch/user-agent.ts";
import { readVersion } from "./version.ts";

interface Postman extends Pick<WebhookSettings, "post" | "check"> {
  readonly close: () => Promise<void>;
}

/** Posts to webhooks through the guarded network; the addresses that the configuration names may be inside it. */
export function createWebhookSender(options: WebhookOptions, netAllow: readonly string[] = []): Postman {
  const rules = createAddressRules([...netAllow, ...namedAddresses(options).map(toAllowEntry)]);
  const guarded = createGuardedFetch({ rules, userAgent: defaultUserAgent(readVersion()) });
  return {
    check: (url) => void rules.checkUrl(url),
    post: async (url, headers, body, signal) => {
      const request = { method: "POST", headers, body, signal, maxRedirects: 0 } as const;
      // Of the reply nothing is read but its head, so that none is too long.
      const reply = await guarded.fetch(url, { ...request, maxBodyBytes: 1, whenTooLarge: "truncate" });
      const entries = Object.entries(reply.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value.toString()] as const],
      );
      return { status: reply.status, headers: Object.fromEntries(entries) };
    },
    close: () => guarded.close(),
  };
}
