import { emitKeypressEvents } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import { escapeTextControls } from "../../../text/controls.ts";
import type { Screen } from "./screen.ts";

const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
const clearRight = "\u001b[K";
const clearBelow = "\u001b[J";
const refreshMs = 1_000;

export interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly sequence?: string;
}

/** What is shown on the whole terminal. */
export interface FullScreenView {
  /** Reads anew what is shown: at the start, every second, and when asked to. */
  readonly refresh: (signal: AbortSignal) => Promise<void>;
  /** Lines of at most so many columns; those that do not fit below each other are left out. */
  readonly render: (columns: number, rows: number) => readonly string[];
  readonly onKey?: (key: Key, control: FullScreenControl) => void;
}

export interface FullScreenControl {
  readonly redraw: () => void;
  readonly refresh: () => void;
  readonly end: () => void;
}

/** Throws, in one sentence, where there is no terminal to draw on and take keys from. */
export function demandTerminal({ terminal }: Screen, what: string, instead: string): void {
  if (terminal.out.isTerminal && process.stdin.isTTY) return;
  throw new LonghaulError("invalid_input", `${what} needs a terminal; here use: ${instead}`);
}

/**
 * Shows a view until q or Ctrl-C, on the terminal's other screen and with every key read as it is typed. What stood there
 * before comes back however the program ends, short of SIGKILL.
 */
export async function showFullScreen(view: FullScreenView): Promise<void> {
  const { stdin, stdout } = process;
  const controller = new AbortController();
  const { signal } = controller;
  let shown = "";
  const redraw = (): void => {
    const columns = stdout.columns || 80;
    const rows = stdout.rows || 24;
    const lines = view.render(columns, rows).slice(0, rows);
    const frame = home + lines.map((line) => escapeTextControls(line) + clearRight).join("\r\n") + clearBelow;
    if (frame !== shown) stdout.write(frame);
    shown = frame;
  };
  const control: FullScreenControl = {
    redraw,
    refresh: () => void view.refresh(signal).then(redraw, (error: unknown) => controller.abort(error)),
    end: () => controller.abort(),
  };
  const onKey = (_text: string | undefined, key: Key): void => {
    if ((key.ctrl === true && key.name === "c") || signal.aborted) controller.abort();
    else view.onKey?.(key, control);
  };
  const onResize = (): void => {
    shown = "";
    redraw();
  };
  const restore = holdTerminal();
  emitKeypressEvents(stdin);
  stdin.on("keypress", onKey).resume();
  stdout.on("resize", onResize);
  try {
    while (!signal.aborted) {
      await view.refresh(signal);
      redraw();
      await delay(refreshMs, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (signal.reason instanceof Error && signal.reason.name !== "AbortError") throw signal.reason;
  } finally {
    stdin.off("keypress", onKey).pause();
    stdout.off("resize", onResize);
    restore();
  }
}

const endings = ["SIGTERM", "SIGHUP"] as const;

/** Takes the terminal; the answer gives it back. So does the end of the process. */
function holdTerminal(): () => void {
  const { stdin, stdout } = process;
  stdin.setRawMode(true);
  stdout.write(enter);
  let isHeld = true;
  const giveBack = (): void => {
    if (!isHeld) return;
    isHeld = false;
    stdin.setRawMode(false);
    stdout.write(leave);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    giveBack();
    process.kill(process.pid, signal);
  };
  process.once("exit", giveBack);
  for (const name of endings) process.once(name, onSignal);
  return () => {
    giveBack();
    process.off("exit", giveBack);
    for (const name of endings) process.off(name, onSignal);
  };
}
