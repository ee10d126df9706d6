import { Option } from "commander";
import type { DeliveryView } from "../../../operations/webhook.ts";
import { deliveryStates, type DeliveryState } from "../../../store/delivery.ts";
import { escapeControls } from "../../../text/controls.ts";
import { defineCommand } from "../command.ts";
import { readWhole } from "../options/option-values.ts";
import { formatAgo, formatDuration } from "../show/duration.ts";
import { shortId } from "../show/job-text.ts";
import { formatTable, type Column } from "../show/output-table.ts";
import type { Screen } from "../show/screen.ts";

interface ListOptions {
  readonly state?: DeliveryState;
  readonly limit?: number;
  readonly cursor?: string;
}

const defaultLimit = 100;

export const list = defineCommand<ListOptions, [job: string | undefined]>({
  describe: (command) => {
    command
      .argument("[job]", "id, end of an id, or name; all jobs unless given")
      .addOption(new Option("--state <state>", "in this state").choices(deliveryStates))
      .option("--limit <count>", `maximum number of deliveries to show (${defaultLimit})`, readWhole(1, 1_000))
      .option("--cursor <cursor>", "continue where the previous list ended");
  },
  run: async ({ client, screen }, { state, limit = defaultLimit, cursor, json }, job) => {
    const answer = await client.call("webhook_list", { limit, job, state, cursor });
    if (json === true) return screen.printJson(answer);
    if (answer.deliveries.length > 0) screen.print(formatDeliveries(answer.deliveries, screen));
    else screen.note("No webhook deliveries.");
    if (answer.cursor !== undefined) screen.note(`More: add --cursor ${answer.cursor}`);
  },
});

export const redeliver = defineCommand<{ readonly job?: string }, [id: string | undefined]>({
  describe: (command) => {
    command
      .argument("[delivery]", "its id, as the list shows it")
      .option("--job <job>", "all deliveries of this job that were given up");
  },
  run: async ({ client, screen }, { job, json }, id) => {
    const answer = await client.call("webhook_redeliver", { id, job });
    if (json === true) return screen.printJson(answer);
    if (answer.deliveries.length > 0) screen.print(formatDeliveries(answer.deliveries, screen));
    else screen.note("This job has no deliveries that were given up.");
  },
});

/** Read from where it is kept, not from the server: no operation ever tells it. */
export const secret = defineCommand<object>({
  run: async ({ screen }, options) => {
    const [{ loadConfig }, { readWebhookSecret }] = await Promise.all([
      import("../../../config/config.ts"),
      import("../../../config/webhook-secret.ts"),
    ]);
    const value = readWebhookSecret(loadConfig());
    if (options.json === true) screen.printJson({ secret: value });
    else screen.print(value);
  },
});

function formatDeliveries(deliveries: readonly DeliveryView[], { style, terminal }: Screen): string {
  const now = Date.now();
  const columns: readonly Column<DeliveryView>[] = [
    { title: "ID", text: shortDeliveryId, paint: (_delivery, text) => style.bold(text) },
    { title: "TYPE", text: ({ type }) => type },
    { title: "STATE", text: ({ state }) => state },
    { title: "AGE", text: (delivery) => formatAgo(now - Date.parse(delivery.created_at)) },
    { title: "TRIED", text: ({ attempts }) => String(attempts) },
    { title: "NEXT", text: ({ next_at: nextAt }) => (nextAt === undefined ? "" : nextText(Date.parse(nextAt) - now)) },
    { title: "URL", text: ({ url }) => escapeControls(url) },
    { title: "LAST", text: lastText },
  ];
  return formatTable(deliveries, columns, { width: terminal.columns(), paintTitle: style.dim });
}

/** Enough of an id to find it by: the end of the job's, and the number of the event. */
function shortDeliveryId({ job_id: jobId, id }: DeliveryView): string {
  return `${shortId(jobId)}${id.slice(jobId.length)}`;
}

function nextText(delayMs: number): string {
  return delayMs <= 0 ? "now" : `in ${formatDuration(delayMs)}`;
}

function lastText({ last_error: error, last_status: status }: DeliveryView): string {
  return escapeControls(error ?? (status === undefined ? "" : String(status)));
}
