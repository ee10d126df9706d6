import type { z } from "zod";
import { LonghaulError } from "../../job/error.ts";
import {
  checkWebhookSecret,
  parseWebhookUrl,
  showUrl,
  webhookOccasions,
  type ShownWebhook,
  type webhookSchema,
} from "../../job/webhook.ts";
import { parseNotifyTarget } from "../../job/notify.ts";
import type { JobDraft } from "../../store/store.ts";
import type { WebhookOptions, WebhookSettings } from "./webhook-settings.ts";

export interface WebhookRules {
  /**
   * The webhook of a new job: the one it asks for, else the default one, which is not for children: their parent tells
   * of them. Refuses an address that is not allowed.
   */
  readonly choose: (
    wanted: z.output<typeof webhookSchema> | undefined,
    job: { readonly isChild: boolean },
  ) => { readonly shown: ShownWebhook; readonly kept: NonNullable<JobDraft["webhook"]> } | undefined;
  readonly isAllowed: (url: URL) => boolean;
}

export function createWebhookRules(settings: Partial<WebhookSettings> = {}): WebhookRules {
  const { allow = [], defaultUrl, check } = settings;
  const named = namedAddresses(settings).map((text) => parseWebhookUrl(text, "webhooks.allow"));
  const isAllowed = (url: URL): boolean =>
    named.some((beginning) => isWithin(url, beginning)) || (allow.length === 0 && passes(url, check));
  return {
    isAllowed,
    choose: (wanted, { isChild }) => {
      const asked = wanted ?? (isChild || defaultUrl === undefined ? undefined : { url: defaultUrl });
      if (asked === undefined) return undefined;
      const url = parseWebhookUrl(asked.url, "webhook.url");
      if (!isAllowed(url)) throw notAllowed(url);
      if (asked.secret !== undefined) checkWebhookSecret(asked.secret, "webhook.secret");
      const on = webhookOccasions.filter((occasion) => asked.on?.includes(occasion) ?? true);
      return { shown: { url: showUrl(url), on }, kept: { url: url.href, secret: asked.secret } };
    },
  };
}

/** What a configuration names may be posted to, wherever it is. */
export function namedAddresses({ allow = [], defaultUrl, notify }: Partial<WebhookOptions>): string[] {
  const targets = (notify?.to ?? []).map((text) => parseNotifyTarget(text, "notify.to"));
  const told = targets.flatMap(({ format, url }) => (format === "desktop" ? [] : [url]));
  return [...allow, ...(defaultUrl === undefined ? [] : [defaultUrl]), ...told];
}

export function notAllowed(url: URL): LonghaulError {
  return new LonghaulError(
    "not_allowed",
    `Webhooks to ${showUrl(url)} are not allowed: add ${url.origin} to webhooks.allow in the server's configuration.`,
  );
}

function passes(url: URL, check: WebhookSettings["check"] | undefined): boolean {
  try {
    check?.(url);
    return check !== undefined;
  } catch {
    return false;
  }
}

/** The same origin, and a path that is the same or lies below. */
function isWithin(url: URL, beginning: URL): boolean {
  const folder = beginning.pathname.replace(/\/?$/, "/");
  return url.origin === beginning.origin && `${url.pathname}/`.startsWith(folder);
}
