import { defineCommand } from "../command.ts";

/** Read from where it is kept, not from the server: no operation ever tells it. */
export const webhookSecret = defineCommand<object>({
  run: async ({ screen }, options) => {
    const [{ loadConfig }, { readWebhookSecret }] = await Promise.all([
      import("../../../config/config.ts"),
      import("../../../config/webhook-secret.ts"),
    ]);
    const secret = readWebhookSecret(loadConfig());
    if (options.json === true) screen.printJson({ secret });
    else screen.print(secret);
  },
});
