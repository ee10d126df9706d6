import type { StatusAnswer } from "../answers.ts";
import { askServer } from "../ask-server.ts";
import { defineCommand } from "../command.ts";
import { formatAgo } from "../duration.ts";
import { exitCodes } from "../exit-code.ts";
import type { Front } from "../front.ts";

export const serverStatus = defineCommand<object>({
  run: async (front, options) => {
    const { screen, environment } = front;
    const status = await askServer(front);
    if (options.json === true) {
      screen.printJson({ running: status !== undefined, home: environment.paths.home, ...status });
    } else if (status === undefined) {
      screen.print(`No server is running on ${environment.paths.home}. Any command that needs one starts it.`);
    } else screen.print(describe(front, status));
    return status === undefined ? exitCodes.noServer : exitCodes.done;
  },
});

function describe({ screen, environment }: Front, status: StatusAnswer): string {
  const { style } = screen;
  const { paths } = environment;
  const jobs = Object.entries(status.jobs).map(([state, count]) => `${count} ${state}`);
  const facts = [
    [
      "server",
      `version ${status.version}, process ${status.pid}, started ${formatAgo(Date.now() - Date.parse(status.started_at))}`,
    ],
    ["memory", `${(status.memory_bytes / 1_000_000).toFixed(0)} MB`],
    ["jobs", jobs.length === 0 ? "none" : jobs.join(", ")],
    ["paused", status.paused_kinds.join(", ")],
    ["folder", status.home],
    ["socket", paths.socket],
    ["http", status.url ?? ""],
    ["token", paths.token],
    ["log", paths.log],
  ];
  return facts
    .filter(([, text]) => text !== "")
    .map(([label = "", text = ""]) => `${style.dim(label.padEnd(7))} ${text}`)
    .join("\n");
}
