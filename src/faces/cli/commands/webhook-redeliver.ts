import { defined } from "../../../job/defined.ts";
import type { DeliveryView } from "../../../operations/webhook-verbs.ts";
import { defineCommand } from "../command.ts";
import { formatDeliveries } from "../delivery-table.ts";

export const webhookRedeliver = defineCommand<{ readonly job?: string }, [id: string | undefined]>({
  describe: (command) => {
    command
      .argument("[id]", "a delivery, as the list shows it")
      .option("--job <job>", "all of this job that were given up");
  },
  run: async ({ client, screen }, { job, json }, id) => {
    const answer = await client.call<{ deliveries: DeliveryView[] }>("webhook_redeliver", defined({ id, job }));
    if (json === true) return screen.printJson(answer);
    if (answer.deliveries.length > 0) screen.print(formatDeliveries(answer.deliveries, screen));
    else screen.note("Nothing of this job was given up.");
  },
});
