import { Option } from "commander";
import type { Scope } from "../../../engine/access.ts";
import type { TokenView } from "../../../operations/token.ts";
import { defineCommand } from "../command.ts";
import { collect, readDuration } from "../options/option-values.ts";
import { formatAgo } from "../show/duration.ts";
import { formatTable, type Column } from "../show/output-table.ts";

interface CreateOptions {
  readonly owner?: string;
  readonly allOwners?: true;
  readonly scope?: Scope;
  readonly kind?: string[];
  readonly expires?: number;
  readonly rate?: string;
}

export const create = defineCommand<CreateOptions, [name: string]>({
  describe: (command) => {
    command
      .argument("<name>", "what it is called in lists, and in the record of who did what")
      .option("--owner <owner>", "whose jobs it is for (local: those of this command line)")
      .option("--all-owners", "for the jobs of all owners; needs --scope read or admin")
      .addOption(new Option("--scope <scope>", "what it allows (run)").choices(["read", "run", "admin"]))
      .option("--kind <kind>", "only for jobs of this kind; may be given more than once", collect)
      .option("--expires <time>", "how long it is valid, such as 30d (forever unless given)", readDuration)
      .option("--rate <rate>", "maximum number of requests, such as 100/min (no limit unless given)");
  },
  run: async ({ client, screen }, options, name) => {
    const { owner, allOwners, scope, kind, expires, rate } = options;
    const answer = await client.call("token_create", {
      name,
      owner,
      all_owners: allOwners,
      scope,
      kinds: kind,
      expires_in_ms: expires,
      rate,
    });
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    screen.print(answer.token);
    screen.note(`This is ${tokenText(answer)}. It is shown only once: keep it where you keep secrets.`);
  },
});

const columns: readonly Column<TokenView>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name },
  { title: "STATE", text: ({ state }) => state },
  { title: "SCOPE", text: ({ scope }) => scope },
  { title: "OWNER", text: ({ owner }) => owner ?? "(all)" },
  { title: "KINDS", text: ({ kinds = [] }) => kinds.join(",") },
  { title: "RATE", text: ({ rate = "" }) => rate },
  {
    title: "USED",
    text: ({ last_used_at: at }) => (at === undefined ? "never" : formatAgo(Date.now() - Date.parse(at))),
  },
  { title: "EXPIRES", text: ({ expires_at: at = "" }) => at.slice(0, 16) },
];

export const list = defineCommand<{ all?: true }>({
  describe: (command) => {
    command.option("-a, --all", "also revoked ones");
  },
  run: async ({ client, screen }, options) => {
    const answer = await client.call("token_list", { all: options.all === true });
    if (options.json === true) screen.printJson(answer);
    else if (answer.tokens.length === 0) screen.note("No tokens: `longhaul token create` makes one.");
    else {
      const { style, terminal } = screen;
      screen.print(formatTable(answer.tokens, columns, { width: terminal.columns(), paintTitle: style.dim }));
    }
  },
});

export const revoke = defineCommand<object, [token: string]>({
  describe: (command) => {
    command.argument("<token>", "its name or id");
  },
  run: async ({ client, screen }, options, token) => {
    const answer = await client.call("token_revoke", { token });
    if (options.json === true) screen.printJson(answer);
    else screen.print(`Revoked ${tokenText(answer)}.`);
  },
});

/** A token in a few words: `token "ci" (0a1b2c3d4e5f): run, for the jobs of local`. */
function tokenText({ id, name, scope, owner, kinds }: TokenView): string {
  const whose = owner === undefined ? "all jobs" : `the jobs of ${owner}`;
  return `token "${name}" (${id}): ${scope}, for ${whose}${kinds === undefined ? "" : ` of kind ${kinds.join(", ")}`}`;
}
