import { z } from "zod";
import { defined } from "../job/defined.ts";
import { scopes } from "../engine/access.ts";
import { defineOperation } from "./operation.ts";

export const meGet = defineOperation({
  name: "me_get",
  scope: "read",
  description: "Tell who asks, and what they may do.",
  input: z.strictObject({}),
  output: z.object({
    name: z.string().optional().describe("As the record of who did something has it."),
    token: z.string().optional().describe("The id of the token that was shown."),
    owner: z
      .string()
      .optional()
      .describe("Jobs of other owners look as if they did not exist; absent: all can be seen."),
    scope: z.enum(scopes),
    kinds: z.array(z.string()).optional().describe("Jobs of these kinds alone can be seen and started; absent: all."),
    barred_kinds: z
      .array(z.string())
      .optional()
      .describe("Jobs of these can be seen and cancelled, not started or steered."),
  }),
  run: async ({ actor: { by, token, owner, scope = "admin", kinds, barredKinds } }) => ({
    scope,
    ...defined({ name: by, token, owner, kinds: kinds && [...kinds], barred_kinds: barredKinds && [...barredKinds] }),
  }),
});
