import { defined } from "../../job/defined.ts";
import { LonghaulError } from "../../job/error.ts";
import {
  defaultOccasions,
  notifyOccasions,
  parseNotifyTarget,
  showTarget,
  type NotifyOccasion,
  type NotifyTarget,
  type ShownNotify,
} from "../../job/notify.ts";
import type { WebhookRules } from "./webhook-rules.ts";
import type { NotifyOptions } from "./webhook-settings.ts";

export interface NotifyRules {
  /**
   * Whom a new job tells: those it names, else those of the configuration, which are not for children: their parent tells of
   * them, nor for jobs of others than this machine's user, unless it says so. Refuses what is not allowed.
   */
  readonly choose: (
    wanted: { readonly to?: readonly string[]; readonly on?: readonly NotifyOccasion[] } | undefined,
    job: { readonly isChild: boolean; readonly isConfined: boolean },
  ) => { readonly shown: ShownNotify; readonly kept: readonly NotifyTarget[] } | undefined;
  /** A target that somebody names, if they may. */
  readonly accept: (text: string, caller: { readonly isConfined: boolean }) => NotifyTarget;
}

export function createNotifyRules(webhookRules: WebhookRules, options: NotifyOptions = {}): NotifyRules {
  const defaults = toTargets(options.to ?? []);
  const accept: NotifyRules["accept"] = (text, { isConfined }) => {
    const target = parseNotifyTarget(text, "notify");
    if (target.format === "desktop") checkDesktop(options, isConfined);
    else if (!webhookRules.isAllowed(new URL(target.url))) throw targetNotAllowed(target);
    return target;
  };
  return {
    accept,
    choose: (wanted = {}, { isChild, isConfined }) => {
      const named = wanted.to?.map((text) => accept(text, { isConfined }));
      const isForDefaults = !isChild && (!isConfined || options.allOwners === true);
      const kept = named === undefined ? (isForDefaults ? defaults : []) : withoutRepeats(named);
      if (wanted.on !== undefined && named === undefined && kept.length === 0) throw nobodyToTell();
      if (kept.length === 0) return undefined;
      const asked = wanted.on ?? options.on ?? defaultOccasions;
      const on = notifyOccasions.filter((occasion) => asked.includes(occasion));
      const afterMs = named === undefined ? options.onlyAfterMs : undefined;
      return { shown: { to: kept.map(showTarget), on, ...defined({ afterMs }) }, kept };
    },
  };
}

export function toTargets(texts: readonly string[]): NotifyTarget[] {
  return withoutRepeats(texts.map((text) => parseNotifyTarget(text, "notify.to")));
}

export function targetNotAllowed(target: NotifyTarget): LonghaulError {
  const { origin } = new URL(target.url);
  return new LonghaulError(
    "not_allowed",
    `Notifications to ${showTarget(target)} are not allowed: add ${origin} to webhooks.allow in the server's configuration.`,
  );
}

function withoutRepeats(targets: readonly NotifyTarget[]): NotifyTarget[] {
  return [...new Map(targets.map((target) => [`${target.format} ${target.url}`, target])).values()];
}

function checkDesktop({ desktop }: NotifyOptions, isConfined: boolean): void {
  if (isConfined) {
    throw new LonghaulError(
      "not_allowed",
      'notify "desktop" is for the jobs of this machine\'s user: give a URL, such as ntfy://ntfy.sh/my-topic.',
    );
  }
  const problem = desktop === undefined ? "this server shows nothing on a desktop" : desktop.problem();
  if (problem === undefined) return;
  throw new LonghaulError(
    "invalid_input",
    `notify cannot be "desktop", because ${problem}: give a URL instead, such as ntfy://ntfy.sh/my-topic.`,
    { details: { field: "notify" } },
  );
}

function nobodyToTell(): LonghaulError {
  return new LonghaulError(
    "invalid_input",
    'notify_on says when to notify, and nothing says whom: give notify too, "desktop" or a URL such as ntfy://ntfy.sh/my-topic.',
    { details: { field: "notify_on" } },
  );
}
