import { spawn } from "node:child_process";
import { findProgram } from "../../../text/find-program.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";

export const open = defineCommand<{ readonly print?: true }>({
  describe: (command) => {
    command.option("--print", "only print the link; it works once, within a minute");
  },
  run: async (cli, { print, json }) => {
    const { url } = await cli.client.call("session_code", {});
    if (json === true) cli.screen.printJson({ url });
    else if (print === true || !(await openInBrowser(url, cli))) cli.screen.print(url);
    else cli.screen.print("The dashboard opens in your browser. (`longhaul open --print` prints a link instead.)");
  },
});

/** False where there is no program for it, or no screen. */
async function openInBrowser(url: string, { environment }: Pick<CliContext, "environment">): Promise<boolean> {
  const isMac = process.platform === "darwin";
  const hasScreen = isMac || ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => (environment.variable(name) ?? "") !== "");
  const program = hasScreen ? findProgram(isMac ? "open" : "xdg-open", environment.variable("PATH")) : undefined;
  if (program === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(program, [url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
