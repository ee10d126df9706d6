import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { JobView } from "../../../../operations/job-view.ts";
import { messageOf } from "../core/api.ts";
import { formatAge, formatDuration, now, words } from "../core/format.ts";
import { Icon, type IconName } from "./icons.tsx";

const stateIcons: Readonly<Record<JobView["state"], IconName>> = {
  queued: "clock",
  running: "play",
  waiting: "question",
  succeeded: "check",
  failed: "close",
  timed_out: "clock",
  cancelled: "ban",
};

/** Told by its shape, its colour and its word. */
export function StateMark({ state, isShort }: { state: JobView["state"]; isShort?: boolean }): JSX.Element {
  return (
    <span class={`state state-${state}`} title={words(state)}>
      <Icon name={stateIcons[state]} />
      <span class={isShort === true ? "unseen" : ""}>{words(state)}</span>
    </span>
  );
}

export function Ago({ at }: { readonly at: string | number }): JSX.Element {
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={time.toLocaleString()}>
      {formatAge(now.value - time.getTime())}
    </time>
  );
}

/** How long a job has run, or ran; it goes on by itself. */
export function RunTime({ job }: { readonly job: JobView }): JSX.Element {
  if (job.started_at === undefined) return <span class="muted">–</span>;
  const end = job.finished_at === undefined ? now.value : Date.parse(job.finished_at);
  return <span>{formatDuration(Math.max(0, end - Date.parse(job.started_at)))}</span>;
}

export function ProgressBar({ job }: { readonly job: JobView }): JSX.Element | null {
  const { progress, state } = job;
  if (progress === undefined && state !== "running" && state !== "waiting") return null;
  const { percent, done, total } = progress ?? {};
  const share = percent ?? (done !== undefined && total !== undefined && total > 0 ? (100 * done) / total : undefined);
  const value = share === undefined ? {} : { "aria-valuenow": Math.round(share) };
  const name = `Progress of ${titleOf(job)}`;
  return (
    <div
      class={`bar bar-${state}`}
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      {...value}
    >
      <i class={share === undefined ? "unknown" : ""} style={{ inlineSize: `${share ?? 100}%` }} />
    </div>
  );
}

/** "62% · page 31/50" */
export function progressWords({ progress = {} }: JobView): string {
  const { percent, phase, message, done, total } = progress;
  const count = done === undefined ? undefined : total === undefined ? String(done) : `${done}/${total}`;
  return [percent === undefined ? undefined : `${Math.round(percent)}%`, phase, count, message]
    .filter((part) => part !== undefined && part !== "")
    .join(" · ");
}

export function titleOf({ name, summary, id }: JobView): string {
  return name ?? summary ?? id;
}

interface ButtonProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly look?: "main" | "danger" | "plain";
  readonly isIconOnly?: boolean;
  readonly isDisabled?: boolean;
  readonly keys?: string;
  /** What goes wrong is told in a note on the screen. */
  readonly onPress?: () => unknown;
  readonly type?: "submit";
}

export function Button({
  label,
  icon,
  look = "plain",
  isIconOnly,
  isDisabled,
  keys,
  onPress,
  type,
}: ButtonProps): JSX.Element {
  const isBusy = useSignal(false);
  const press = async (): Promise<void> => {
    if (onPress === undefined) return;
    isBusy.value = true;
    await attempt(onPress);
    isBusy.value = false;
  };
  return (
    <button
      type={type ?? "button"}
      class={`button ${look} ${isIconOnly === true ? "only-icon" : ""}`}
      disabled={isDisabled === true || isBusy.value}
      title={keys === undefined ? (isIconOnly === true ? label : undefined) : `${label} (${keys})`}
      aria-label={isIconOnly === true ? label : undefined}
      onClick={type === "submit" ? undefined : () => void press()}
    >
      {icon !== undefined && <Icon name={icon} />}
      {isIconOnly !== true && label}
    </button>
  );
}

interface Note {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  readonly action?: { readonly label: string; readonly run: () => unknown };
}

export const notes = signal<readonly Note[]>([]);
const noteMs = 6_000;

export function tell(
  text: string,
  { isProblem = false, action }: { isProblem?: boolean; action?: Note["action"] } = {},
): void {
  const note: Note = { id: performance.now(), text, isProblem, ...(action === undefined ? {} : { action }) };
  notes.value = [...notes.value.slice(-2), note];
  setTimeout(() => dismiss(note), isProblem ? 2 * noteMs : noteMs);
}

function dismiss(note: Note): void {
  notes.value = notes.value.filter((other) => other !== note);
}

/** Does it, and tells on the screen why it could not. */
export async function attempt(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    tell(messageOf(error), { isProblem: true });
  }
}

export function Notes(): JSX.Element {
  return (
    <div class="notes" role="status">
      {notes.value.map((note) => (
        <div key={note.id} class={note.isProblem ? "note problem" : "note"}>
          <span>{note.text}</span>
          {note.action !== undefined && <Button label={note.action.label} onPress={note.action.run} />}
          <Button label="Dismiss" icon="close" isIconOnly onPress={() => dismiss(note)} />
        </div>
      ))}
    </div>
  );
}

export function Problem({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => unknown;
}): JSX.Element {
  return (
    <div class="empty" role="alert">
      <p>{messageOf(error)}</p>
      {onRetry !== undefined && <Button label="Try again" icon="retry" onPress={onRetry} />}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Shown only when what is loaded takes longer than a blink. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_row, index) => (
        <i key={index} />
      ))}
    </div>
  );
}

export function Copyable({ text }: { readonly text: string }): JSX.Element {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    tell("Copied.");
  };
  return (
    <span class="copyable">
      <code>{text}</code>
      <Button label={`Copy ${text}`} icon="copy" isIconOnly onPress={copy} />
    </span>
  );
}

export function Panel(props: {
  readonly title: string;
  readonly side?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="panel" aria-label={props.title}>
      <header>
        <h2>{props.title}</h2>
        {props.side}
      </header>
      {props.children}
    </section>
  );
}

interface Asked {
  readonly title: string;
  readonly text: string;
  readonly verb: string;
  readonly run: () => unknown;
}

export const asked = signal<Asked | undefined>(undefined);

/** Asks before something that cannot be undone. */
export function confirm(question: Asked): void {
  asked.value = question;
}

export function ConfirmDialog(): JSX.Element | null {
  const question = asked.value;
  const close = (): void => {
    asked.value = undefined;
  };
  if (question === undefined) return null;
  return (
    <Dialog title={question.title} onClose={close}>
      <p>{question.text}</p>
      <div class="actions">
        <Button label="Keep" onPress={close} />
        <Button
          label={question.verb}
          look="danger"
          onPress={async () => {
            close();
            await question.run();
          }}
        />
      </div>
    </Dialog>
  );
}

export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly look?: string;
}): JSX.Element {
  const { title, onClose, children, look = "" } = props;
  useEffect(() => {
    const before = document.activeElement;
    const dialog = document.querySelector("dialog");
    if (dialog?.open === false) dialog.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      class={look}
      aria-label={title}
      onCancel={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="dialog">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
