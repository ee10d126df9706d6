import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { parseInput } from "../job/issue.ts";
import { localOwner } from "../job/job.ts";
import type { TokenRecord } from "../store/token-store.ts";
import { demand, demandKind, scopes, type Actor } from "./access.ts";
import type { EngineParts } from "./settings.ts";
import { findKind } from "./submit.ts";

const label = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{C}]*$/u, "must not contain control characters");

const requestSchema = z.strictObject({
  name: label,
  owner: label.optional(),
  allOwners: z.boolean().optional(),
  scope: z.enum(scopes).optional(),
  kinds: z.array(z.string()).min(1).max(50).optional(),
  lifeMs: z
    .int()
    .min(1_000)
    .max(10 * 366 * 24 * 3_600_000)
    .optional(),
  rate: z
    .string()
    .regex(/^[1-9]\d{0,5}\/(s|min|h)$/, "expected a rate such as 100/min (or /s, /h)")
    .optional(),
});

/** Without more said: for the jobs of "local", which are those of the command line, to start and steer them. */
export type TokenRequest = z.input<typeof requestSchema>;

/** A token as it may be shown. */
export type Token = Omit<TokenRecord, "digest">;

export type TokenCheck =
  | { readonly status: "valid" | "expired" | "revoked"; readonly token: Token }
  | { readonly status: "unknown" };

/** Gives out tokens and knows them again. Nobody gives more than they have, or sees tokens of owners that they do not see. */
export interface TokenBook {
  /** The text is told here and never again: only a digest of its secret is kept. */
  readonly create: (request: TokenRequest, actor?: Actor) => Promise<{ token: Token; text: string }>;
  readonly list: (actor?: Actor) => Promise<Token[]>;
  /** By id or name; from then on it opens nothing. */
  readonly revoke: (reference: string, actor?: Actor) => Promise<Token>;
  /** What a text that somebody shows is worth. Always asks the store, so that a revoked token ends at once. */
  readonly check: (text: string) => Promise<TokenCheck>;
  /** Takes one of the requests that the token may make; if none is left, says in how many seconds there is one. */
  readonly take: (token: Token) => Promise<number | undefined>;
}

const minuteMs = 60_000;
/** The prefix lets people, and programs that look for leaked secrets, recognise a token. */
const tokenPattern = /^lh_([0-9a-f]{12})_([\w-]{43})$/;

export function createTokenBook({ kinds, settings, ...parts }: EngineParts): TokenBook {
  const store = parts.store.tokens;
  const { clock, log } = settings;
  const list = async (actor: Actor = {}): Promise<Token[]> => {
    demand(actor, "admin");
    const tokens = await store.list();
    return tokens
      .filter(({ session, owner }) => session === undefined && (actor.owner === undefined || owner === actor.owner))
      .map(withoutDigest);
  };
  return {
    list,
    create: async (request, actor = {}) => {
      demand(actor, "admin");
      const wanted = parseInput(requestSchema, request, "The token");
      for (const kind of wanted.kinds ?? []) findKind(kinds, kind);
      const id = randomBytes(6).toString("hex");
      const secret = randomBytes(32).toString("base64url");
      const now = clock.now();
      const token: Token = {
        id,
        name: wanted.name,
        ...grant(wanted, actor),
        createdAt: now,
        rate: wanted.rate,
        createdBy: actor.by,
        expiresAt: wanted.lifeMs === undefined ? undefined : now + wanted.lifeMs,
      };
      await store.add({ ...token, digest: digest(secret).toString("hex") });
      log({ level: "info", message: "token created", subject: describe(token), by: actor.by });
      return { token, text: `lh_${id}_${secret}` };
    },
    revoke: async (reference, actor = {}) => {
      const found = (await list(actor)).filter(({ id, name }) => id === reference || name === reference);
      const token = found.find(({ revokedAt }) => revokedAt === undefined);
      const at = clock.now();
      if (token === undefined || !(await store.revoke(token.id, at))) {
        const why =
          found.length > 0 ? `The token "${reference}" has already been revoked` : `There is no token "${reference}"`;
        throw new LonghaulError("not_found", `${why}: \`longhaul token list\` shows them.`);
      }
      log({ level: "info", message: "token revoked", subject: describe(token), by: actor.by });
      return { ...token, revokedAt: at };
    },
    check: async (text) => {
      const [, id = "", secret = ""] = tokenPattern.exec(text) ?? [];
      const record = await store.find(id);
      // Compared also when there is none, so that the time it takes does not tell ids that exist.
      const expected = record === undefined ? digest("") : Buffer.from(record.digest, "hex");
      if (!timingSafeEqual(digest(secret), expected) || record === undefined) return { status: "unknown" };
      // A session is shown in two halves, and counts for nothing as a token.
      if (record.session !== undefined) return { status: "unknown" };
      const token = withoutDigest(record);
      const now = clock.now();
      const status = stateOf(token, now);
      if (status !== "valid") return { status, token };
      if ((token.lastUsedAt ?? 0) <= now - minuteMs) {
        store.touch(id, now).catch((error: unknown) => {
          log({ level: "warn", message: "the use of a token could not be noted", subject: describe(token), error });
        });
      }
      return { status: "valid", token };
    },
    take: async ({ id, rate }) => {
      const waitMs = rate === undefined ? undefined : await store.take(id, { rate, now: clock.now() });
      return waitMs === undefined ? undefined : Math.ceil(waitMs / 1_000);
    },
  };
}

/** What the token may, within what its maker may. */
function grant(wanted: z.output<typeof requestSchema>, actor: Actor): Pick<TokenRecord, "owner" | "scope" | "kinds"> {
  const { scope = "run", allOwners = false } = wanted;
  if (allOwners && wanted.owner !== undefined) {
    throw new LonghaulError("invalid_input", "Give either an owner or all owners, not both.");
  }
  if (allOwners && scope === "run") {
    throw new LonghaulError("invalid_input", `A token for all owners has the scope "read" or "admin", not "run".`);
  }
  const owner = allOwners ? undefined : (wanted.owner ?? actor.owner ?? localOwner);
  if (actor.owner !== undefined && owner !== actor.owner) {
    throw new LonghaulError("not_allowed", `Your token is for owner "${actor.owner}": it cannot make one for others.`);
  }
  const kinds = wanted.kinds ?? actor.kinds;
  if (actor.kinds !== undefined) for (const kind of kinds ?? []) demandKind({ kinds: actor.kinds }, kind);
  return { scope, owner, kinds };
}

/** What has been revoked stays so, whatever its time. */
export function stateOf({ revokedAt, expiresAt = Infinity }: Token, now: number): "valid" | "expired" | "revoked" {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt <= now ? "expired" : "valid";
}

export function withoutDigest({ digest: _digest, ...token }: TokenRecord): Token {
  return token;
}

function describe({ id, name }: Token): string {
  return `${name} (${id})`;
}

function digest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
