import type { TokenView } from "../../../operations/token-verbs.ts";
import { defineCommand } from "../command.ts";
import { formatAgo } from "../duration.ts";
import { formatTable, type Column } from "../output-table.ts";

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

export const tokenList = defineCommand<{ all?: true }>({
  describe: (command) => {
    command.option("-a, --all", "also revoked ones");
  },
  run: async ({ client, screen }, options) => {
    const answer = await client.call<{ tokens: TokenView[] }>("token_list", { all: options.all === true });
    if (options.json === true) screen.printJson(answer);
    else if (answer.tokens.length === 0) screen.note("No tokens: `longhaul token create` makes one.");
    else {
      const { style, terminal } = screen;
      screen.print(formatTable(answer.tokens, columns, { width: terminal.columns(), paintTitle: style.dim }));
    }
  },
});
