import type { JSX } from "preact";
import type { JobEvent } from "../../../../job/event.ts";
import { formatDuration, visible } from "../core/format.ts";

/** What happened, the latest first, each in a line. */
export function Events({ events }: { readonly events: readonly JobEvent[] }): JSX.Element {
  const first = events[0]?.at ?? 0;
  return (
    <ol class="events" reversed>
      {events
        .toReversed()
        .slice(0, 500)
        .map((event) => (
          <li key={event.seq}>
            <time title={new Date(event.at).toLocaleString()}>+{formatDuration(event.at - first)}</time>
            <b>{event.type.replaceAll("-", " ")}</b>
            <span>{visible(describe(event))}</span>
          </li>
        ))}
    </ol>
  );
}

function describe(event: JobEvent): string {
  const by = "by" in event && event.by !== undefined ? ` by ${event.by}` : "";
  switch (event.type) {
    case "attempt-started":
    case "attempt-adopted":
    case "job-retried":
      return `attempt ${event.attempt}${by}`;
    case "attempt-interrupted":
      return event.cause;
    case "attempt-failed":
      return event.failure.message;
    case "progress-made": {
      const { percent, phase, message } = event.progress;
      return [percent === undefined ? undefined : `${Math.round(percent)}%`, phase, message]
        .filter(Boolean)
        .join(" · ");
    }
    case "message-logged":
      return `${event.level}: ${event.message}`;
    case "question-asked":
      return event.question.message;
    case "cancel-requested":
      return `${event.reason}${by}`;
    case "job-finished":
      return [event.status, event.failure?.message, event.reason].filter(Boolean).join(": ");
    case "text-sent":
      return `${event.bytes} bytes${by}`;
    default:
      return by.trim();
  }
}
