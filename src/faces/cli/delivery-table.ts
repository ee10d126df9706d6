import type { DeliveryView } from "../../operations/webhook-verbs.ts";
import { formatAgo, formatDuration } from "./duration.ts";
import { shortId } from "./job-text.ts";
import { formatTable, type Column } from "./output-table.ts";
import type { Screen } from "./screen.ts";
import { escapeControls } from "./text-width.ts";

export function formatDeliveries(deliveries: readonly DeliveryView[], { style, terminal }: Screen): string {
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
