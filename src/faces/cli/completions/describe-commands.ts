import type { Command } from "commander";

/** What a shell needs to know of a command in order to complete it. */
export interface CommandWords {
  /** `ps`, `server stop`. */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly OptionWords[];
  /** What its arguments are. */
  readonly completes: "jobs" | "kinds" | "shells" | "clients" | "files" | "nothing";
  readonly children: readonly CommandWords[];
}

export interface OptionWords {
  readonly long: string;
  readonly short: string | undefined;
  readonly summary: string;
  readonly takesValue: boolean;
}

export function describeCommands(program: Command, parent = ""): CommandWords[] {
  return program.commands.map((command) => {
    const path = `${parent}${command.name()}`;
    return {
      path,
      summary: command.summary(),
      options: [...command.options.filter(({ hidden }) => !hidden).map(toOption), helpOption],
      completes: completesOf(command),
      children: describeCommands(command, `${path} `),
    };
  });
}

const helpOption: OptionWords = { long: "--help", short: "-h", summary: "show help", takesValue: false };

function toOption({ long, short, description, required, optional }: Command["options"][number]): OptionWords {
  return { long: long ?? "", short, summary: description, takesValue: required || optional };
}

function completesOf(command: Command): CommandWords["completes"] {
  const [first] = command.registeredArguments.map((argument) => argument.name());
  if (first === "id") return "jobs";
  if (first === "kind") return "kinds";
  if (first === "shell") return "shells";
  if (first === "client") return "clients";
  return first === "command" ? "files" : "nothing";
}
