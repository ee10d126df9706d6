import { clientNames } from "../clients/client-table.ts";
import type { CommandWords } from "./describe-commands.ts";
import { listJobsCommand } from "./list-jobs-command.ts";

export function bashCompletions(commands: readonly CommandWords[]): string {
  const all = commands.flatMap((command) => [command, ...command.children]);
  return `# Completions for bash. In ~/.bashrc: source <(longhaul completions bash)
_longhaul_jobs() {
  ${listJobsCommand}
}

_longhaul() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command="" words="" completes="nothing" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      --) COMPREPLY=($(compgen -c -f -- "$current")); return ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=\${COMP_WORDS[index]}
        elif [[ $command == server ]]; then command="server \${COMP_WORDS[index]}"
        fi ;;
    esac
  done
  case $command in
    "") words="${commands.map(({ path }) => path).join(" ")} help --help --version" ;;
${all.map(toCase).join("\n")}
  esac
  [[ $previous == --after ]] && completes=jobs
  local IFS=$'\\n'
  if [[ -z $command || $command == server || $current == -* ]]; then COMPREPLY=($(compgen -W "\${words// /$'\\n'}" -- "$current"))
  elif [[ $completes == jobs ]]; then COMPREPLY=($(compgen -W "$(_longhaul_jobs)" -- "$current"))
  elif [[ $completes == kinds ]]; then COMPREPLY=($(compgen -W "shell" -- "$current"))
  elif [[ $completes == shells ]]; then COMPREPLY=($(compgen -W $'bash\\nzsh\\nfish' -- "$current"))
  elif [[ $completes == clients ]]; then COMPREPLY=($(compgen -W $'${clientNames.join("\\n")}' -- "$current"))
  elif [[ $completes == files ]]; then COMPREPLY=($(compgen -c -f -- "$current"))
  fi
}
complete -F _longhaul longhaul`;
}

function toCase({ path, options, completes, children }: CommandWords): string {
  const words = [
    ...children.map((child) => child.path.split(" ").at(-1) ?? ""),
    ...options.flatMap(({ long, short }) => [long, ...(short === undefined ? [] : [short])]),
  ];
  return `    "${path}") words="${words.join(" ")}" completes=${completes} ;;`;
}
