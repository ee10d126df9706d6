import { Argument } from "commander";
import { defineCommand } from "../command.ts";
import { bashCompletions } from "../completions/bash.ts";
import { describeCommands, type CommandWords } from "../completions/describe-commands.ts";
import { fishCompletions } from "../completions/fish.ts";
import { zshCompletions } from "../completions/zsh.ts";

const writers: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

export const completions = defineCommand<object, [shell: string]>({
  describe: (command) => {
    command.addArgument(new Argument("<shell>", "which shell").choices(Object.keys(writers)));
  },
  run: async ({ screen, version }, options, shell) => {
    const { describeProgram } = await import("../program.ts");
    const script = writers[shell]?.(describeCommands(await describeProgram(version))) ?? "";
    if (options.json === true) screen.printJson({ shell, script });
    else screen.print(script);
  },
});
