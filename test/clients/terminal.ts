import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Sandbox } from "./sandbox.ts";

/** A program on a terminal of its own, typed into and read like by a user. */
export interface Terminal {
  readonly screen: () => string;
  readonly type: (text: string) => Promise<void>;
  /** Keys by tmux's names, such as `Enter` and `Down`. */
  readonly press: (...keys: string[]) => Promise<void>;
  readonly isDead: () => boolean;
  readonly close: () => void;
}

export function openTerminal(
  sandbox: Sandbox,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Terminal {
  // A server of its own: its environment is the sandbox's, and whoever has a tmux running does not meet it.
  const tmux = (...more: string[]): string =>
    execFileSync("tmux", ["-S", join(sandbox.home, "..", "tmux"), "-f", "/dev/null", ...more], {
      cwd: sandbox.project,
      env: { ...sandbox.env, ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  tmux("new-session", "-d", "-s", "client", "-x", "160", "-y", "50", ...words);
  tmux("set-option", "-t", "client", "remain-on-exit", "on");
  /** A program reads what comes at once as pasted. */
  const pause = (): Promise<void> => delay(300);
  return {
    screen: () => tmux("capture-pane", "-p", "-t", "client"),
    type: async (text) => {
      tmux("send-keys", "-t", "client", "-l", text);
      await pause();
    },
    press: async (...keys) => {
      for (const key of keys) {
        tmux("send-keys", "-t", "client", key);
        await pause();
      }
    },
    isDead: () => {
      try {
        return tmux("list-panes", "-t", "client", "-F", "#{pane_dead}").trim() === "1";
      } catch {
        // The terminal itself was killed.
        return true;
      }
    },
    close: () => {
      spawnSync("tmux", ["-S", join(sandbox.home, "..", "tmux"), "kill-server"], { stdio: "ignore" });
    },
  };
}
