import { assertNever } from "../../../job/error.ts";
import type { JobEvent } from "../../../job/event.ts";
import { formatDuration } from "./duration.ts";
import type { Style } from "./style.ts";
import { escapeControls } from "../../../text/controls.ts";
import { countText } from "../../../text/count-text.ts";

/** One event on one line: number, time, what happened. */
export function describeEvent(event: JobEvent, style: Style): string {
  const at = new Date(event.at).toISOString().slice(0, 23).replace("T", " ");
  const facts = escapeControls(describeFacts(event));
  return `${String(event.seq).padStart(4)}  ${style.dim(at)}  ${style.bold(event.type)}${facts === "" ? "" : `  ${facts}`}`;
}

function describeFacts(event: JobEvent): string {
  switch (event.type) {
    case "job-submitted":
      return byWhom(event);
    case "attempt-started":
    case "attempt-adopted":
      return `attempt ${event.attempt}`;
    case "attempt-interrupted":
      return `attempt ${event.attempt}: ${event.cause}`;
    case "attempt-failed":
      return `attempt ${event.attempt}: ${event.failure.message} Next try in ${formatDuration(event.nextRunAt - event.at)}.`;
    case "progress-made":
      return [
        event.progress.percent === undefined ? "" : `${Math.floor(event.progress.percent)}%`,
        event.progress.phase ?? "",
        event.progress.message ?? "",
      ]
        .filter((part) => part !== "")
        .join(" · ");
    case "message-logged":
      return `${event.level}: ${event.message}`;
    case "question-asked":
      return `${event.key}: ${event.question.message}`;
    case "question-answered":
      return join(event.key, byWhom(event));
    case "text-sent":
      return join(countText(event.bytes, "byte"), byWhom(event));
    case "job-stalled":
      return `no sign of life for ${formatDuration(event.idleMs)}`;
    case "job-active-again":
      return "";
    case "cancel-requested":
      return join(event.reason, byWhom(event));
    case "job-finished":
      return [event.status, event.failure?.message ?? event.reason ?? ""].filter((part) => part !== "").join(": ");
    case "job-retried":
      return join(`attempt ${event.attempt}`, byWhom(event));
    default:
      return assertNever(event);
  }
}

function byWhom({ by }: { readonly by?: string }): string {
  return by === undefined ? "" : `by ${by}`;
}

function join(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}
