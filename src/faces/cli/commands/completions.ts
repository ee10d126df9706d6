import { Argument } from "commander";
import type { JobView } from "../../../operations/job-view.ts";
import { escapeControls } from "../../../text/controls.ts";
import { createClient, NotRunningError, type Client } from "../../door/local-client.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import type { Candidate, Completion } from "../options/complete-words.ts";
import { shortId, stateText } from "../show/job-text.ts";
import { listJobs } from "./ps.ts";
import { startCommands } from "./start.ts";

export const completions = defineCommand<object, [shell: string]>({
  describe: (command) => {
    command.addArgument(new Argument("<shell>", "which shell").choices(Object.keys(scripts)));
  },
  run: async ({ screen }, options, shell) => {
    const script = scripts[shell] ?? "";
    if (options.json === true) screen.printJson({ shell, script });
    else screen.print(script);
  },
});

/** What the scripts call: a line for each word that fits, with a tab and what it means, or what the shell is to complete itself. */
export const complete = defineCommand<object, [words: string[]]>({
  describe: (command) => {
    command.argument("[words...]", "all words after `longhaul`, up to the cursor");
  },
  run: async (cli, options, words) => {
    const { completeWords } = await import("../options/complete-words.ts");
    const known = {
      jobs: () => askIfRunning(cli, async (client) => (await listJobs(client)).jobs.flatMap(toCandidates)),
      kinds: () => askIfRunning(cli, listKinds),
      batches: () => askIfRunning(cli, listBatches),
      verbs: () => askIfRunning(cli, async (client) => startCommands(await client.call("kind_list", {}))),
    };
    const found = await completeWords(words, known);
    if (options.json === true) cli.screen.printJson(found);
    else for (const line of toLines(found)) cli.screen.print(line);
  },
});

/** Completing must not start a server. */
async function askIfRunning<Answer>(
  { environment }: CliContext,
  ask: (client: Client) => Promise<Answer[]>,
): Promise<Answer[]> {
  try {
    return await ask(createClient(environment.paths.socket));
  } catch (error) {
    if (error instanceof NotRunningError) return [];
    throw error;
  }
}

async function listKinds(client: Client): Promise<Candidate[]> {
  const { kinds } = await client.call("kind_list", {});
  return kinds.map(({ name }) => ({ word: name }));
}

async function listBatches(client: Client): Promise<Candidate[]> {
  const { batches } = await client.call("batch_list", { limit: 200 });
  return batches.map(({ batch, finished, total }) => ({ word: batch, summary: `${finished}/${total} ended` }));
}

function toCandidates(job: JobView): Candidate[] {
  const summary = `${stateText(job)} ${job.summary ?? job.kind}`;
  return [shortId(job.id), ...(job.name === undefined ? [] : [job.name])].map((word) => ({ word, summary }));
}

function toLines(found: Completion): string[] {
  if (found === "files") return [":files"];
  if ("commandAfter" in found) return [`:command\t${found.commandAfter}`];
  return found.map(({ word, summary }) =>
    [word, ...(summary === undefined ? [] : [summary])].map(escapeControls).join("\t"),
  );
}

const scripts: Readonly<Record<string, string>> = {
  bash: String.raw`# Completions for bash. In ~/.bashrc: source <(longhaul completions bash)
_longhaul() {
  local current=${"$"}{COMP_WORDS[COMP_CWORD]} word summary IFS=$'\n'
  [[ $current == = ]] && current=""
  COMPREPLY=()
  while IFS=$'\t' read -r word summary; do
    case $word in
      :files) COMPREPLY+=($(compgen -f -- "$current")) ;;
      :command) COMPREPLY+=($(compgen -c -f -- "$current")) ;;
      "$current"*) COMPREPLY+=("$word") ;;
    esac
  done < <(longhaul complete -- "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _longhaul longhaul`,

  zsh: String.raw`#compdef longhaul
# Completions for zsh. In ~/.zshrc, after compinit: source <(longhaul completions zsh)
_longhaul() {
  local -a found
  found=(${"$"}{(f)"$(longhaul complete -- "${"$"}{(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  case ${"$"}{found[1]-} in
    :files) _files ;;
    :command*)
      # What comes there is another command, to be completed as such.
      local -i count=$((${"$"}{found[1]#:command$'\t'} + 1))
      shift $count words
      ((CURRENT -= count))
      _normal ;;
    *)
      found=(${"$"}{found//:/\\:})
      found=(${"$"}{found/$'\t'/:})
      _describe longhaul found ;;
  esac
}

if [[ "${"$"}{funcstack[1]}" == _longhaul ]]; then _longhaul "$@"; else compdef _longhaul longhaul; fi`,

  fish: String.raw`# Completions for fish. Save as ~/.config/fish/completions/longhaul.fish
function __longhaul_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc) "$current"
  set -e words[1]
  set -l found (longhaul complete -- $words 2>/dev/null)
  switch "$found[1]"
    case :files
      __fish_complete_path "$current"
    case ':command*'
      # What comes there is another command, to be completed as such.
      set -l count (string split \t -- $found[1])[2]
      complete -C (string join ' ' -- (string escape -- $words[(math $count + 1)..-2]) "$current")
    case '*'
      printf '%s\n' $found
  end
end
complete -c longhaul -f -a '(__longhaul_complete)'`,
};
