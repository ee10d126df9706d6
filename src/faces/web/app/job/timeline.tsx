import type { JSX } from "preact";
import type { JobEvent } from "../../../../job/event.ts";
import { formatDuration, now, visible } from "../core/format.ts";

interface Stretch {
  readonly look: "queued" | "run" | "waiting" | "failed" | "succeeded" | "cancelled";
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

/** What the job did with its time, from what happened to it. */
export function stretchesOf(events: readonly JobEvent[], end: number): Stretch[] {
  const stretches: Stretch[] = [];
  let open: { look: Stretch["look"]; label: string; from: number } | undefined;
  const turn = (at: number, look?: Stretch["look"], label = "", last?: Stretch["look"]): void => {
    if (open !== undefined) stretches.push({ ...open, look: last ?? open.look, to: at });
    open = look === undefined ? undefined : { look, label, from: at };
  };
  for (const event of events) {
    switch (event.type) {
      case "job-submitted":
      case "job-retried":
        turn(event.at, "queued", "queued");
        break;
      case "attempt-started":
      case "attempt-adopted":
        turn(event.at, "run", `try ${event.attempt}`);
        break;
      case "attempt-interrupted":
        turn(event.at, "queued", "interrupted");
        break;
      case "attempt-failed":
        turn(event.at, "queued", "pause", "failed");
        break;
      case "question-asked":
        turn(event.at, "waiting", "asks");
        break;
      case "question-answered":
        turn(event.at, "run", `answered${event.by === undefined ? "" : ` by ${event.by}`}`);
        break;
      case "job-finished":
        turn(
          event.at,
          undefined,
          "",
          event.status === "succeeded" ? "succeeded" : event.status === "cancelled" ? "cancelled" : "failed",
        );
        break;
      default:
    }
  }
  turn(end);
  return stretches;
}

export function Timeline({ events, isOver }: { events: readonly JobEvent[]; isOver: boolean }): JSX.Element | null {
  const first = events[0]?.at;
  if (first === undefined) return null;
  const end = isOver ? (events.at(-1)?.at ?? first) : Math.max(now.value, events.at(-1)?.at ?? first);
  const all = Math.max(1, end - first);
  return (
    <ol class="timeline" aria-label="What it did with its time">
      {stretchesOf(events, end).map((stretch, index) => {
        const label = `${stretch.label} ${formatDuration(stretch.to - stretch.from)}`;
        return (
          <li
            key={index}
            class={`stretch ${stretch.look}`}
            title={visible(label)}
            style={{ flexGrow: Math.max(0.04, (stretch.to - stretch.from) / all) }}
          >
            {stretch.to - stretch.from > all / 12 && <span>{visible(label)}</span>}
          </li>
        );
      })}
    </ol>
  );
}
