import { Option } from "commander";
import { defined } from "../../../job/defined.ts";
import type { DeliveryView } from "../../../operations/webhook-verbs.ts";
import { deliveryStates } from "../../../store/delivery.ts";
import { defineCommand } from "../command.ts";
import { formatDeliveries } from "../delivery-table.ts";
import { readWhole } from "../option-values.ts";

interface ListOptions {
  readonly state?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const usualLimit = 100;

export const webhookList = defineCommand<ListOptions, [job: string | undefined]>({
  describe: (command) => {
    command
      .argument("[job]", "id, end of an id, or name; all jobs unless given")
      .addOption(new Option("--state <state>", "in this state").choices(deliveryStates))
      .option("--limit <count>", `most deliveries to show (${usualLimit})`, readWhole(1, 1_000))
      .option("--cursor <cursor>", "go on where the list before ended");
  },
  run: async ({ client, screen }, { state, limit = usualLimit, cursor, json }, job) => {
    const request = { limit, ...defined({ job, state, cursor }) };
    const answer = await client.call<{ deliveries: DeliveryView[]; cursor?: string }>("webhook_list", request);
    if (json === true) return screen.printJson(answer);
    if (answer.deliveries.length > 0) screen.print(formatDeliveries(answer.deliveries, screen));
    else screen.note("Nothing was or is to be posted to a webhook.");
    if (answer.cursor !== undefined) screen.note(`More: add --cursor ${answer.cursor}`);
  },
});
