import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Desktop } from "../engine/webhooks/webhook-settings.ts";
import { findProgram } from "../text/find-program.ts";

const run = promisify(execFile);

/** What is said in the arguments is not read as a script. */
const appleScript = ["on run argv", 'display notification (item 1 of argv) with title "Longhaul"', "end run"];

/** Shows notices by the system's own program: notify-send, or osascript on macOS. */
export function createDesktop(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Desktop {
  const program = platform === "darwin" ? "osascript" : "notify-send";
  const advice = platform === "darwin" ? "" : " (Debian and Ubuntu have it in libnotify-bin)";
  const find = (): string | undefined => findProgram(program, env["PATH"]);
  const problem = (): string | undefined =>
    find() === undefined ? `the program ${program} is not on the server's PATH${advice}` : undefined;
  return {
    problem,
    show: async (text, { isUrgent, signal }) => {
      const file = find();
      if (file === undefined) throw new Error(problem());
      const words =
        platform === "darwin"
          ? [...appleScript.flatMap((line) => ["-e", line]), text]
          : ["--app-name=Longhaul", `--urgency=${isUrgent ? "critical" : "normal"}`, "--", text];
      await run(file, words, { env, signal }).catch((error: unknown) => {
        throw new Error(`${program} ${said(error)}`);
      });
    },
  };
}

/** What it wrote: its own message repeats the command. */
function said(error: unknown): string {
  const text = typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr).trim() : "";
  return text === "" ? "failed" : `said: ${text}`;
}
