import { z } from "zod";
import { defineOperation } from "./operation.ts";

export const notifyTest = defineOperation({
  name: "notify_test",
  scope: "run",
  description: "Notify somebody now, once, and say what came of it.",
  input: z.strictObject({ notify: z.string().describe("As every start takes it: desktop, or a URL.") }),
  output: z.object({
    to: z.string().describe("Without the path of an address."),
    delivered: z.boolean(),
    status: z.int().optional().describe("What the receiver's server answered."),
    error: z.string().optional(),
  }),
  run: async ({ engine, actor }, { notify }) => {
    const { isDelivered, ...tested } = await engine.testNotify(notify, actor);
    return { ...tested, delivered: isDelivered };
  },
});
