import type { JobView } from "../../../operations/job-view.ts";
import { escapeControls } from "../../../text/controls.ts";
import { formatJobs } from "./job-table.ts";
import { jobLabel, liveText } from "./job-text.ts";
import type { Screen } from "./screen.ts";
import { displayWidth, truncate } from "./text-width.ts";

/** What `top` shows. */
export interface TopState {
  readonly jobs: readonly JobView[];
  readonly totals: string;
  readonly selected: JobView | undefined;
  /** The last lines of the selected job's output, without control characters. */
  readonly output: readonly string[];
  readonly filter: string;
  /** What is being typed, behind a word for what it is. */
  readonly prompt?: string;
  /** What came of the last key. */
  readonly message?: string;
}

const keys = "↑↓ choose · enter open · c cancel · r retry · a answer · / filter · q quit";
const marker = "▸ ";

/** The list above, the output of the chosen job below, and on the last line the keys, or what is being typed. */
export function renderTop(state: TopState, columns: number, rows: number, screen: Screen): string[] {
  const { style } = screen;
  const filter = state.filter === "" ? "" : ` · only "${escapeControls(state.filter)}"`;
  const head = style.bold(
    truncate(`longhaul top · ${state.totals === "" ? "no jobs" : state.totals}${filter}`, columns),
  );
  const listRows = Math.max(1, Math.min(state.jobs.length + 1, Math.floor((rows - 3) * 0.6)));
  const list = renderList(state, columns, listRows, screen);
  const { selected } = state;
  const about = selected === undefined ? "" : ` ${jobLabel(selected)} · ${liveText(selected)} `;
  const line = truncate(`──${about}`, columns);
  const divider = style.dim(line + "─".repeat(Math.max(0, columns - displayWidth(line))));
  const room = Math.max(0, rows - 3 - list.length);
  const output = state.output.slice(-room).map((text) => truncate(text, columns));
  const filler = Array.from({ length: Math.max(0, room - output.length) }, () => "");
  const foot = state.prompt ?? state.message ?? keys;
  return [head, ...list, divider, ...output, ...filler, style.dim(truncate(escapeControls(foot), columns))].slice(
    0,
    rows,
  );
}

/** The chosen job is always among those that are shown. */
function renderList({ jobs, selected }: TopState, columns: number, rows: number, screen: Screen): string[] {
  if (jobs.length === 0) return ["  No jobs."];
  const [title = "", ...lines] = formatJobs(jobs, screen, columns - marker.length).split("\n");
  const place = Math.max(
    0,
    jobs.findIndex(({ id }) => id === selected?.id),
  );
  const room = Math.max(1, rows - 1);
  const first = Math.min(Math.max(0, place - Math.floor(room / 2)), Math.max(0, lines.length - room));
  const shown = lines
    .slice(first, first + room)
    .map((line, index) => (first + index === place ? screen.style.bold(marker) + line : `  ${line}`));
  return [`  ${title}`, ...shown];
}

/** Whether a word of the filter stands in anything that the list tells of a job. */
export function matchesFilter({ id, name = "", kind, state, summary = "" }: JobView, filter: string): boolean {
  const text = [id, name, kind, state, summary].join(" ").toLowerCase();
  return filter
    .toLowerCase()
    .split(" ")
    .every((word) => text.includes(word));
}
