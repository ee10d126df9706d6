import { defineCommand, type CliCommand } from "./command.ts";

/** A command that calls an operation on a kind of job and tells which kinds are paused then. */
export function defineKindCommand(operation: "kind_pause" | "kind_resume"): CliCommand {
  return defineCommand<object, [kind: string]>({
    describe: (command) => {
      command.argument("<kind>", "such as shell");
    },
    run: async ({ client, screen }, options, kind) => {
      const answer = await client.call<{ paused_kinds: string[] }>(operation, { kind });
      if (options.json === true) screen.printJson(answer);
      else
        screen.print(
          answer.paused_kinds.length === 0 ? "No kind is paused." : `Paused: ${answer.paused_kinds.join(", ")}`,
        );
    },
  });
}
