import { z } from "zod";
import { scopes } from "../engine/access.ts";
import type { Token } from "../engine/tokens.ts";
import { defineOperation } from "./operation.ts";

const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  owner: z.string().optional().describe("Absent: the jobs of all owners."),
  scope: z.enum(scopes),
  kinds: z.array(z.string()).optional().describe("Absent: all kinds of job."),
  rate: z.string().optional(),
  state: z.enum(["active", "expired", "revoked"]),
  created_at: z.string(),
  created_by: z.string().optional(),
  expires_at: z.string().optional(),
  last_used_at: z.string().optional().describe("To the minute."),
  revoked_at: z.string().optional(),
});

export type TokenView = z.output<typeof tokenSchema>;

export const tokenCreate = defineOperation({
  name: "token_create",
  scope: "admin",
  description: "Make a token that lets somebody in over the network. It is shown this once.",
  input: z.strictObject({
    name: z.string().min(1).max(100).describe("What it is called in lists, and in the record of who did what."),
    owner: z.string().min(1).max(100).optional().describe('Whose jobs it is for; "local" are the command line\'s.'),
    all_owners: z.boolean().optional().describe("For the jobs of all owners; needs the scope read or admin."),
    scope: z.enum(scopes).default("run"),
    kinds: z.array(z.string()).min(1).max(50).optional().describe("Only for jobs of these kinds."),
    expires_in_ms: z.int().min(1_000).optional(),
    rate: z.string().optional().describe("Most requests, such as 100/min."),
  }),
  output: tokenSchema.extend({ token: z.string().describe("The token itself.") }),
  run: async ({ engine, actor }, input) => {
    const { name, scope, owner, kinds, rate, all_owners: allOwners, expires_in_ms: lifeMs } = input;
    const request = { name, scope, owner, allOwners, kinds, lifeMs, rate };
    const { token, text } = await engine.tokens.create(request, actor);
    return { ...toView(token), token: text };
  },
});

export const tokenList = defineOperation({
  name: "token_list",
  scope: "admin",
  description: "List the tokens that let somebody in over the network, without their secrets.",
  input: z.strictObject({ all: z.boolean().default(false).describe("Revoked ones too.") }),
  output: z.object({ tokens: z.array(tokenSchema) }),
  run: async ({ engine, actor }, { all }) => {
    const tokens = await engine.tokens.list(actor);
    return { tokens: tokens.filter(({ revokedAt }) => all || revokedAt === undefined).map(toView) };
  },
});

export const tokenRevoke = defineOperation({
  name: "token_revoke",
  scope: "admin",
  description: "Revoke a token: from its next request on it opens nothing.",
  input: z.strictObject({ token: z.string().min(1).describe("Its name or id.") }),
  output: tokenSchema,
  run: async ({ engine, actor }, { token }) => toView(await engine.tokens.revoke(token, actor)),
});

function toView(token: Token): TokenView {
  const { id, name, scope, owner, kinds, rate, createdBy, revokedAt, expiresAt } = token;
  const isExpired = expiresAt !== undefined && expiresAt <= Date.now();
  return {
    id,
    name,
    scope,
    state: revokedAt === undefined ? (isExpired ? "expired" : "active") : "revoked",
    created_at: toTime(token.createdAt) ?? "",
    owner,
    rate,
    kinds: kinds === undefined ? undefined : [...kinds],
    created_by: createdBy,
    expires_at: toTime(expiresAt),
    last_used_at: toTime(token.lastUsedAt),
    revoked_at: toTime(revokedAt),
  };
}

function toTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
