import { styleText } from "node:util";
import type { JobView } from "../../../operations/job-view.ts";

type Format = Parameters<typeof styleText>[0];

/** Colours, or the text as it is where there are none. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly state: (state: JobView["state"], text?: string) => string;
}

const stateFormats: Readonly<Record<JobView["state"], Format>> = {
  queued: "dim",
  running: "cyan",
  waiting: "yellow",
  succeeded: "green",
  failed: "red",
  timed_out: "red",
  cancelled: "magenta",
};

export function createStyle(hasColor: boolean): Style {
  const paint =
    (format: Format) =>
    (text: string): string =>
      hasColor && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    state: (state, text = state) => paint(stateFormats[state])(text),
  };
}
