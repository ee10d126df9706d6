import { clientNames } from "../clients/client-table.ts";
import type { CommandWords } from "./describe-commands.ts";
import { listJobsCommand } from "./list-jobs-command.ts";

export function fishCompletions(commands: readonly CommandWords[]): string {
  return `# Completions for fish. Save as ~/.config/fish/completions/longhaul.fish
function __longhaul_jobs
  ${listJobsCommand}
end

complete -c longhaul -f
${commands.flatMap(toLines).join("\n")}`;
}

const completers: Readonly<Record<CommandWords["completes"], string>> = {
  jobs: "(__longhaul_jobs)",
  kinds: "shell",
  shells: "bash zsh fish",
  clients: clientNames.join(" "),
  files: "(__fish_complete_command)",
  nothing: "",
};

function toLines({ path, summary, options, completes, children }: CommandWords): string[] {
  const isCalled = `-n '__fish_seen_subcommand_from ${path}'`;
  const values = completers[completes];
  return [
    `complete -c longhaul -n __fish_use_subcommand -a ${path} -d ${quote(summary)}`,
    ...options.map(({ long, short, summary: text, takesValue }) => {
      const flags = `-l ${long.slice(2)}${short === undefined ? "" : ` -s ${short.slice(1)}`}`;
      const value = takesValue ? ` -x${long === "--after" ? " -a '(__longhaul_jobs)'" : ""}` : "";
      return `complete -c longhaul ${isCalled} ${flags}${value} -d ${quote(text)}`;
    }),
    ...(values === "" ? [] : [`complete -c longhaul ${isCalled} -a '${values}'`]),
    ...children.map(
      (child) => `complete -c longhaul ${isCalled} -a ${child.path.split(" ").at(-1) ?? ""} -d ${quote(child.summary)}`,
    ),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
