import { z } from "zod";
import type { Session } from "../engine/sessions.ts";
import { LonghaulError } from "../job/error.ts";
import { defineOperation } from "./operation.ts";

const sessionSchema = z.object({
  id: z.string(),
  of: z.string().describe('The name of the token that it stands for; "local" is this machine\'s user.'),
  created_at: z.string(),
  expires_at: z.string(),
  last_used_at: z.string().optional().describe("To the minute."),
});

export const sessionCode = defineOperation({
  name: "session_code",
  scope: "read",
  description: "Make a link to the dashboard that logs a browser in as the caller: once, within a minute.",
  input: z.strictObject({}),
  output: z.object({ url: z.string().describe("The code is in its fragment, which browsers send to nobody.") }),
  run: async ({ engine, actor, server }) => {
    if (server.url === undefined) throw new LonghaulError("conflict", "This server has no address for browsers.");
    return { url: `${server.url}/#code=${engine.sessions.createCode(actor)}` };
  },
});

export const sessionList = defineOperation({
  name: "session_list",
  scope: "read",
  description: "List the browsers that are logged in: the caller's, or everybody's for who looks after the server.",
  input: z.strictObject({}),
  output: z.object({ sessions: z.array(sessionSchema) }),
  run: async ({ engine, actor }) => ({ sessions: (await engine.sessions.list(actor)).map(toView) }),
});

export const sessionRevoke = defineOperation({
  name: "session_revoke",
  scope: "read",
  description: "End a browser's session, its open streams included.",
  input: z.strictObject({ session: z.string().min(1).max(100).describe("Its id.") }),
  output: sessionSchema,
  run: async ({ engine, actor }, { session }) => toView(await engine.sessions.revoke(session, actor)),
});

function toView({ id, of, createdAt, expiresAt, lastUsedAt }: Session): z.input<typeof sessionSchema> {
  return {
    id,
    of,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    ...(lastUsedAt === undefined ? {} : { last_used_at: new Date(lastUsedAt).toISOString() }),
  };
}
