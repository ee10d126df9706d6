import { escapeControls } from "../../../text/controls.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";

export const test = defineCommand<object, [target: string]>({
  describe: (command) => {
    command.argument("<notify>", "desktop, or a URL, as --notify takes it");
  },
  run: async ({ client, screen }, options, target) => {
    const answer = await client.call("notify_test", { notify: target });
    const { style } = screen;
    const why = answer.error?.replace(/\.$/, "") ?? "no reason was given";
    if (options.json === true) screen.printJson(answer);
    else if (answer.delivered) screen.print(`${style.green("✓")} ${answer.to} took it.`);
    else screen.print(`${style.red("✗")} ${answer.to} did not take it: ${escapeControls(why)}.`);
    return answer.delivered ? exitCodes.done : exitCodes.failed;
  },
});
