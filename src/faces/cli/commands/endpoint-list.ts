import { defineCommand } from "../command.ts";
import { formatTable } from "../output-table.ts";

interface ListAnswer {
  readonly endpoints: readonly { name: string; type: string; mode?: string; concurrency: number }[];
  readonly any_runpod: boolean;
}

export const endpointList = defineCommand<object>({
  run: async ({ client, screen }, options) => {
    const answer = await client.call<ListAnswer>("endpoint_list");
    if (options.json === true) {
      screen.printJson(answer);
      return;
    }
    const columns = [
      { title: "NAME", text: ({ name }: ListAnswer["endpoints"][number]) => name },
      { title: "TYPE", text: ({ type }: ListAnswer["endpoints"][number]) => type },
      { title: "MODE", text: ({ mode = "" }: ListAnswer["endpoints"][number]) => mode },
      { title: "AT ONCE", text: ({ concurrency }: ListAnswer["endpoints"][number]) => String(concurrency) },
    ];
    const { style, terminal } = screen;
    if (answer.endpoints.length > 0) {
      screen.print(formatTable(answer.endpoints, columns, { width: terminal.columns(), paintTitle: style.dim }));
    }
    if (answer.any_runpod) screen.note("Any RunPod endpoint can be used by its id.");
    else if (answer.endpoints.length === 0) screen.note("No endpoint is configured: longhaul endpoint init NAME");
  },
});
