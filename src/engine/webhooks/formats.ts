import { assertNever } from "../../job/error.ts";
import { showTarget, type NotifyTarget } from "../../job/notify.ts";
import type { Notice } from "./notice.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

/** A notice on its way: `id` names it however often it is sent. */
export interface AddressedNotice {
  readonly target: NotifyTarget;
  readonly notice: Notice;
  readonly id: string;
}

type Reply = Awaited<ReturnType<WebhookSettings["post"]>>;

/** Tells one receiver, in its own form; answers with what its server said, if one was asked. */
export async function tellReceiver(
  { target, notice, id }: AddressedNotice,
  { post, notify = {} }: WebhookSettings,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  if (target.format === "desktop") {
    if (notify.desktop === undefined) throw new Error("this server shows nothing on a desktop");
    await notify.desktop.show(notice.text, { isUrgent: notice.isUrgent, signal });
    return undefined;
  }
  const link = toLink(notice, notify.link);
  const { url, body } = toPost({ ...target, format: target.format }, notice, link);
  const headers = { "content-type": "application/json", ...(target.format === "plain" ? { "webhook-id": id } : {}) };
  return post(url, headers, JSON.stringify(body), signal);
}

interface PostedTarget extends NotifyTarget {
  readonly format: Exclude<NotifyTarget["format"], "desktop">;
}

function toPost(
  { format, url }: PostedTarget,
  notice: Notice,
  link: string | undefined,
): { readonly url: string; readonly body: object } {
  switch (format) {
    case "ntfy":
      return toNtfy(url, notice, link);
    case "slack":
      return { url, body: { text: escapeSlack(notice.text) } };
    case "discord":
      // Nobody is pinged by what a job calls itself.
      return { url, body: { content: notice.text, allowed_mentions: { parse: [] } } };
    case "plain":
      return { url, body: { text: notice.text, ...notice.facts, ...(link === undefined ? {} : { link }) } };
    default:
      return assertNever(format);
  }
}

/** The form with JSON, which goes to the folder of the topic: headers could not hold what is not ASCII. */
function toNtfy(
  url: string,
  { text, title, isUrgent, facts }: Notice,
  click: string | undefined,
): { url: string; body: object } {
  const address = new URL(url);
  const slash = address.pathname.lastIndexOf("/");
  const topic = address.pathname.slice(slash + 1);
  address.pathname = address.pathname.slice(0, slash + 1);
  const tags = ["longhaul", facts.type.replace("job.", "")];
  const body = {
    topic,
    title,
    message: text,
    priority: isUrgent ? 4 : 3,
    tags,
    ...(click === undefined ? {} : { click }),
  };
  return { url: address.href, body };
}

/** These three are what Slack makes links and mentions of. */
function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function toLink({ facts }: Notice, pattern: string | undefined): string | undefined {
  const id = facts["job_id"];
  return typeof id === "string" ? pattern?.replaceAll("{id}", id) : undefined;
}

/** What happened to a notice that was to show that a target works. */
export interface TestedTarget {
  /** As it may be shown. */
  readonly to: string;
  readonly isDelivered: boolean;
  readonly status?: number;
  readonly error?: string;
}

const testNotice: Notice = {
  text: "✓ Longhaul can reach you here",
  title: "Longhaul",
  isUrgent: false,
  facts: { type: "test" },
};

/** Tells a receiver something now, once, and says what came of it. */
export async function testTarget(
  target: NotifyTarget,
  webhooks: WebhookSettings,
  { id, signal, describe }: { id: string; signal: AbortSignal; describe: (error: unknown) => string },
): Promise<TestedTarget> {
  const to = showTarget(target);
  try {
    const reply = await tellReceiver({ target, notice: testNotice, id }, webhooks, signal);
    if (reply === undefined) return { to, isDelivered: true };
    const { status } = reply;
    const isDelivered = status >= 200 && status < 300;
    return { to, isDelivered, status, ...(isDelivered ? {} : { error: `the receiver answered ${status}` }) };
  } catch (error) {
    return { to, isDelivered: false, error: describe(error) };
  }
}
