import { SUBSCRIPTION_ID_META_KEY, type RequestId } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { JobsConnection } from "../connection.ts";
import { parseJobUri } from "../resources/job-uri.ts";
import { readTask } from "../tasks/tasks-modern.ts";
import { watchJob, watchOutput } from "../resources/watch.ts";
import { cleanAnswer } from "../tools/clean-text.ts";

/** What we serve of a `subscriptions/listen`; the rest is the SDK's. */
export interface ListenRequest {
  readonly id: RequestId;
  readonly taskIds: readonly string[];
  readonly uris: readonly string[];
}

export interface ListenMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params: Record<string, unknown>;
}

const listenSchema = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.literal("subscriptions/listen"),
  params: z.looseObject({
    notifications: z.looseObject({
      taskIds: z.array(z.string()).optional(),
      resourceSubscriptions: z.array(z.string()).optional(),
    }),
  }),
});

/** The request if it concerns jobs, else undefined. */
export function parseListen(message: unknown): ListenRequest | undefined {
  const parsed = listenSchema.safeParse(message);
  if (!parsed.success) return undefined;
  const { taskIds, resourceSubscriptions = [] } = parsed.data.params.notifications;
  const uris = resourceSubscriptions.filter((uri) => parseJobUri(uri) !== undefined);
  return taskIds === undefined && uris.length === 0 ? undefined : { id: parsed.data.id, taskIds: taskIds ?? [], uris };
}

export function refuseMany({ taskIds, uris }: ListenRequest, max: number): string | undefined {
  if (taskIds.length > max) return `At most ${max} task ids can be listened to.`;
  return uris.length > max ? `At most ${max} resources can be listened to.` : undefined;
}

/** Ids that the caller may see; others are left out as if they did not exist. */
export async function grantTasks(taskIds: readonly string[], { engine, actor }: JobsConnection): Promise<string[]> {
  const granted: string[] = [];
  for (const id of new Set(taskIds)) {
    const job = await engine.get(id, actor).catch(() => undefined);
    if (job !== undefined) granted.push(id);
  }
  return granted;
}

/** The acknowledgement with the ids that were granted. */
export function acknowledge(message: ListenMessage, granted: readonly string[], hasTasks: boolean): ListenMessage {
  if (!hasTasks) return message;
  const notifications = { ...(message.params["notifications"] as Record<string, unknown>), taskIds: granted };
  return { ...message, params: { ...message.params, notifications } };
}

export function isAcknowledgement(message: unknown): message is ListenMessage {
  return (message as { method?: unknown } | null)?.method === "notifications/subscriptions/acknowledged";
}

export function subscriptionOf(message: ListenMessage): unknown {
  return (message.params["_meta"] as Record<string, unknown> | undefined)?.[SUBSCRIPTION_ID_META_KEY];
}

/** Sends a snapshot of each job and then every change, until the signal comes. */
export function startListening(
  request: ListenRequest,
  granted: readonly string[],
  connection: JobsConnection,
  signal: AbortSignal,
  send: (message: ListenMessage) => void,
): void {
  const stamp = (method: string, params: Record<string, unknown>): ListenMessage => ({
    jsonrpc: "2.0",
    method,
    params: { ...cleanAnswer(params), _meta: { [SUBSCRIPTION_ID_META_KEY]: request.id } },
  });
  for (const id of granted) {
    let last = "";
    void watchJob(id, connection, signal, async () => {
      const task = await readTask(id, connection);
      const text = JSON.stringify({ ...task, pollIntervalMs: 0 });
      if (text === last || signal.aborted) return;
      last = text;
      send(stamp("notifications/tasks", task));
    });
  }
  for (const uri of request.uris) {
    const { id = "", part } = parseJobUri(uri) ?? {};
    const watch = part === "output" ? watchOutput : watchJob;
    let isFirst = true;
    void watch(id, connection, signal, async () => {
      if (!isFirst) send(stamp("notifications/resources/updated", { uri }));
      isFirst = false;
    });
  }
}
