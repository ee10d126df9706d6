import { InvalidArgumentError, type Command } from "commander";
import { notifyOccasions, type NotifyOccasion } from "../../../job/notify.ts";
import { collect } from "./option-values.ts";

export interface NotifyOptions {
  /** False: nobody, whatever the configuration says. */
  readonly notify?: string[] | false;
  readonly notifyOn?: NotifyOccasion[];
}

/** The same on every command that starts jobs. */
export function addNotifyOptions(command: Command): Command {
  return command
    .option("--notify <target>", "desktop, or a URL (ntfy, Slack, Discord, any); may be repeated", collect)
    .option("--no-notify", "notify nobody, whatever the configuration says")
    .option(
      "--notify-on <when,…>",
      `${notifyOccasions.join(", ")} (end, question and stall unless given)`,
      readOccasions,
    );
}

export function toNotifyRequest({ notify, notifyOn }: NotifyOptions): {
  notify?: string[];
  notify_on?: NotifyOccasion[];
} {
  return {
    ...(notify === undefined ? {} : { notify: notify === false ? [] : notify }),
    ...(notifyOn === undefined ? {} : { notify_on: notifyOn }),
  };
}

function readOccasions(text: string): NotifyOccasion[] {
  const words = text.split(",").map((word) => word.trim());
  const known = words.flatMap((word) => notifyOccasions.find((occasion) => occasion === word) ?? []);
  if (known.length === words.length) return known;
  throw new InvalidArgumentError(`Expected some of ${notifyOccasions.join(", ")}, such as "end,question".`);
}
