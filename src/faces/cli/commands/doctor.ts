import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { checkAbilities } from "../doctor/ability-checks.ts";
import type { Finding } from "../doctor/finding.ts";
import { checkHome } from "../doctor/home-checks.ts";
import { checkMachine } from "../doctor/machine-checks.ts";
import { checkServer } from "../doctor/server-checks.ts";
import type { Style } from "../show/style.ts";
import { escapeControls } from "../../../text/controls.ts";

export const doctor = defineCommand<object>({
  run: async (cli, options) => {
    const { screen, environment } = cli;
    const findings = [
      ...(await checkMachine(cli)),
      ...(await checkHome(environment.paths, cli)),
      ...(await checkServer(cli)),
      ...(await checkAbilities(cli)),
    ];
    const faults = findings.filter(({ status }) => status === "bad").length;
    if (options.json === true) screen.printJson({ ok: faults === 0, checks: findings });
    else {
      for (const finding of findings) screen.print(describe(finding, screen.style));
      screen.print(
        faults === 0 ? "\nAll is well." : `\n${faults === 1 ? "One thing is" : `${faults} things are`} wrong.`,
      );
    }
    return faults === 0 ? exitCodes.done : exitCodes.failed;
  },
});

function describe({ name, status, message, advice }: Finding, style: Style): string {
  const mark = { ok: style.green("✓"), note: style.yellow("•"), bad: style.red("✗") }[status];
  const line = `${mark} ${style.dim(name.padEnd(10))} ${escapeControls(message)}`;
  return advice === undefined ? line : `${line}\n  ${" ".repeat(10)} ${style.yellow("→")} ${escapeControls(advice)}`;
}
