import { Option } from "commander";
import { defined } from "../../../job/defined.ts";
import type { TokenView } from "../../../operations/token-verbs.ts";
import { defineCommand } from "../command.ts";
import { collect, readDuration } from "../option-values.ts";
import { tokenText } from "../token-text.ts";

interface CreateOptions {
  readonly owner?: string;
  readonly allOwners?: true;
  readonly scope?: string;
  readonly kind?: string[];
  readonly expires?: number;
  readonly rate?: string;
}

export const tokenCreate = defineCommand<CreateOptions, [name: string]>({
  describe: (command) => {
    command
      .argument("<name>", "what it is called in lists, and in the record of who did what")
      .option("--owner <owner>", "whose jobs it is for (local: those of this command line)")
      .option("--all-owners", "for the jobs of all owners; needs --scope admin")
      .addOption(new Option("--scope <scope>", "what it allows (run)").choices(["read", "run", "admin"]))
      .option("--kind <kind>", "only for jobs of this kind; may be given more than once", collect)
      .option("--expires <time>", "how long it is valid, such as 30d (for ever)", readDuration)
      .option("--rate <rate>", "most requests, such as 100/min (no limit)");
  },
  run: async ({ client, screen }, options, name) => {
    const { owner, allOwners, scope, kind, expires, rate } = options;
    const answer = await client.call<TokenView & { token: string }>("token_create", {
      name,
      ...defined({ owner, all_owners: allOwners, scope, kinds: kind, expires_in_ms: expires, rate }),
    });
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    screen.print(answer.token);
    screen.note(`This is ${tokenText(answer)}. It is shown only now: keep it where secrets are kept.`);
  },
});
