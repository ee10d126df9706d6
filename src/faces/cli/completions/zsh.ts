import { clientNames } from "../clients/client-table.ts";
import type { CommandWords } from "./describe-commands.ts";
import { listJobsCommand } from "./list-jobs-command.ts";

export function zshCompletions(commands: readonly CommandWords[]): string {
  const all = commands.flatMap((command) => [command, ...command.children]);
  return `#compdef longhaul
# Completions for zsh. In ~/.zshrc, after compinit: source <(longhaul completions zsh)
_longhaul_jobs() {
  local -a found
  found=(\${(f)"$(${listJobsCommand})"})
  compadd -a found
}

_longhaul() {
  local command="" index
  local -a children options
  for ((index = 2; index < CURRENT; index++)); do
    case \${words[index]} in
      --)
        # What comes behind is another command, to be completed as such.
        shift $index words
        ((CURRENT -= index))
        _normal
        return ;;
      -*) ;;
      *)
        if [[ -z $command ]]; then command=\${words[index]}
        elif [[ $command == server ]]; then command="server \${words[index]}"
        fi ;;
    esac
  done
  if [[ -n $command && \${words[CURRENT-1]} == --after ]]; then _longhaul_jobs; return; fi
  case $command in
    "")
      children=(${commands.map(({ path, summary }) => describe(path, summary)).join(" ")})
      _describe command children ;;
${all.map(toCase).join("\n")}
  esac
}

if [[ "\${funcstack[1]}" == _longhaul ]]; then _longhaul "$@"; else compdef _longhaul longhaul; fi`;
}

const completers: Readonly<Record<CommandWords["completes"], string>> = {
  jobs: "_longhaul_jobs",
  kinds: "compadd shell",
  shells: "compadd bash zsh fish",
  clients: `compadd ${clientNames.join(" ")}`,
  files: "_command_names -e",
  nothing: ":",
};

function toCase({ path, options, completes, children }: CommandWords): string {
  const words = options.flatMap(({ long, short, summary }) =>
    [long, ...(short === undefined ? [] : [short])].map((flag) => describe(flag, summary)),
  );
  const names = children.map((child) => describe(child.path.split(" ").at(-1) ?? "", child.summary));
  const first = names.length > 0 ? `children=(${names.join(" ")}); _describe command children` : completers[completes];
  return `    "${path}")
      options=(${words.join(" ")})
      if [[ $PREFIX == -* ]]; then _describe -o option options; else ${first}; fi ;;`;
}

/** A colon parts the word from its description. */
function describe(word: string, summary: string): string {
  return `'${word}:${summary.replaceAll("'", "'\\''").replaceAll(":", "\\:")}'`;
}
