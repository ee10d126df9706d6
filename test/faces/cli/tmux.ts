import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { until } from "../../until.ts";
import { bin } from "./cli.ts";

export const hasTmux = spawnSync("sh", ["-c", "command -v tmux"]).status === 0;

/** A shell in a real terminal, typed into and read like by a person. `longhaul` is the built program. */
export class Tmux {
  readonly #socket: string;

  constructor(home: string, { columns = 100, rows = 30 } = {}) {
    // One that ends may still hold its socket.
    this.#socket = join(home, `tmux-${randomUUID().slice(0, 8)}`);
    const { NO_COLOR: _no, FORCE_COLOR: _force, TMUX: _tmux, LONGHAUL_JOB_ID: _job, ...inherited } = process.env;
    const env = { ...inherited, LONGHAUL_HOME: home, LONGHAUL_PORT: "0", LANG: "C.UTF-8" };
    const script = `longhaul() { '${process.execPath}' '${bin}' "$@"; }; export -f longhaul; PS1='shell> ' exec bash --norc -i`;
    const size = ["-x", String(columns), "-y", String(rows)];
    execFileSync(
      "tmux",
      ["-S", this.#socket, "-f", "/dev/null", "new-session", "-d", "-s", "t", ...size, "bash", "-c", script],
      { env },
    );
    onTestFinished(() => this.close());
  }

  run(...words: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  screen(): string {
    return this.run("capture-pane", "-p", "-J", "-t", "t");
  }

  type(text: string): void {
    this.run("send-keys", "-t", "t", "-l", "--", text);
  }

  /** Keys by tmux's names, such as `Enter` and `C-c`. */
  press(...keys: string[]): void {
    this.run("send-keys", "-t", "t", ...keys);
  }

  enter(line: string): void {
    this.type(line);
    this.press("Enter");
  }

  resize(columns: number, rows: number): void {
    this.run("resize-window", "-t", "t", "-x", String(columns), "-y", String(rows));
  }

  /** Waits until the screen shows it. */
  async shows(what: string | RegExp): Promise<void> {
    const isShown = (): boolean => (typeof what === "string" ? this.screen().includes(what) : what.test(this.screen()));
    await until(isShown, { timeoutMs: 60_000 }).catch((error: unknown) => {
      throw new Error(`the screen did not show ${String(what)}:\n${this.screen()}`, { cause: error });
    });
  }

  close(): void {
    spawnSync("tmux", ["-S", this.#socket, "kill-server"], { stdio: "ignore" });
  }
}
