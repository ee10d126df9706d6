import type { TokenView } from "../../../operations/token-verbs.ts";
import { defineCommand } from "../command.ts";
import { tokenText } from "../token-text.ts";

export const tokenRevoke = defineCommand<object, [token: string]>({
  describe: (command) => {
    command.argument("<token>", "its name or id");
  },
  run: async ({ client, screen }, options, token) => {
    const answer = await client.call<TokenView>("token_revoke", { token });
    if (options.json === true) screen.printJson(answer);
    else screen.print(`Revoked ${tokenText(answer)}.`);
  },
});
