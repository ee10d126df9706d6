import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { LonghaulError } from "../job/error.ts";
import type { TokenRecord, TokenStore } from "../store/token-store.ts";
import { isServerAdmin, type Actor } from "./access.ts";
import type { Settings } from "./settings.ts";
import { stateOf, withoutDigest, type Token } from "./tokens.ts";

/** What a browser shows with each request: a cookie alone, which reaches other ports of the host too, opens nothing. */
export interface ShownSession {
  readonly id: string;
  /** From a cookie that no script can read. */
  readonly cookie: string;
  /** From a header: a page of another origin cannot know it. */
  readonly secret: string;
}

export interface OpenedSession extends ShownSession {
  readonly expiresAt: number;
}

/** A session as it may be shown. */
export interface Session {
  readonly id: string;
  /** Whose it is: the name of a token, or "local". */
  readonly of: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt?: number;
}

export type SessionCheck =
  /** Without a token it is this machine's user, on this machine only. */
  { readonly status: "valid"; readonly token?: Token } | { readonly status: "ended"; readonly why: string };

/** Lets browsers in, for somebody who was let in by other means: a session may never do more than that token. */
export interface SessionBook {
  /** A code that opens one session for the actor, within a minute, until the server ends. */
  readonly createCode: (actor: Actor) => string;
  readonly openByCode: (code: string) => Promise<OpenedSession>;
  readonly open: (actor: Actor) => Promise<OpenedSession>;
  /** Those that are open: the caller's, or everybody's for who looks after the whole server. */
  readonly list: (actor: Actor) => Promise<Session[]>;
  readonly revoke: (id: string, actor: Actor) => Promise<Session>;
  /** Always asks the store, so that it ends at once with itself or with its token. */
  readonly check: (shown: ShownSession) => Promise<SessionCheck>;
}

const codeLifeMs = 60_000;
const sessionLifeMs = 12 * 3_600_000;
/** More than anybody asks for in a minute. */
const maxCodes = 1_000;
const minuteMs = 60_000;

/** A session is a token of another sort: its text is shown in two halves, and it stands for another token, or for the local user. */
export function createSessionBook(store: TokenStore, { clock, log }: Pick<Settings, "clock" | "log">): SessionBook {
  const codes = new Map<string, { readonly actor: Actor; readonly expiresAt: number }>();
  const listRecords = async (actor: Actor): Promise<TokenRecord[]> => {
    const now = clock.now();
    const records = await store.list();
    return records.filter(
      (record) => record.session !== undefined && stateOf(record, now) === "valid" && maySeeSession(actor, record),
    );
  };
  const open = async (actor: Actor): Promise<OpenedSession> => {
    const token = parentOf(actor);
    const id = randomBytes(6).toString("hex");
    const [cookie, secret] = [0, 1].map(() => randomBytes(32).toString("base64url")) as [string, string];
    const now = clock.now();
    const expiresAt = now + sessionLifeMs;
    const by = actor.by?.replace(/ \(.*\)$/, "") ?? "local";
    const digest = digestOf(cookie, secret).toString("hex");
    const session = { of: by, ...(token === undefined ? {} : { token }) };
    await store.add({ id, name: `session ${id}`, digest, scope: "read", createdAt: now, expiresAt, session });
    log({ level: "info", message: "session opened", subject: id, by: actor.by });
    return { id, cookie, secret, expiresAt };
  };
  return {
    open,
    createCode: (actor) => {
      parentOf(actor);
      const now = clock.now();
      for (const [code, { expiresAt }] of codes) if (expiresAt <= now || codes.size >= maxCodes) codes.delete(code);
      const code = randomBytes(24).toString("base64url");
      codes.set(code, { actor, expiresAt: now + codeLifeMs });
      return code;
    },
    openByCode: async (code) => {
      const made = codes.get(code);
      codes.delete(code);
      if (made !== undefined && made.expiresAt > clock.now()) return open(made.actor);
      throw new LonghaulError(
        "expired",
        "This link was used before or is older than a minute: `longhaul open` makes a new one.",
      );
    },
    list: async (actor) => (await listRecords(actor)).map(toSession),
    revoke: async (id, actor) => {
      const record = (await listRecords(actor)).find((listed) => listed.id === id);
      if (record === undefined || !(await store.revoke(id, clock.now()))) {
        throw new LonghaulError("not_found", `There is no open session "${id}".`);
      }
      log({ level: "info", message: "session revoked", subject: id, by: actor.by });
      return toSession(record);
    },
    check: async ({ id, cookie, secret }) => {
      const record = await store.find(id);
      const expected = record?.session === undefined ? digestOf("", "") : Buffer.from(record.digest, "hex");
      const isRight = timingSafeEqual(digestOf(cookie, secret), expected);
      if (!isRight || record?.session === undefined) return { status: "ended", why: "The session is not known here." };
      const now = clock.now();
      const state = stateOf(record, now);
      if (state !== "valid") return { status: "ended", why: `The session ${endWords[state]}.` };
      if ((record.lastUsedAt ?? 0) <= now - minuteMs) {
        store.touch(id, now).catch((error: unknown) => {
          log({ level: "warn", message: "the use of a session could not be noted", subject: id, error });
        });
      }
      if (record.session.token === undefined) return { status: "valid" };
      const parent = await store.find(record.session.token);
      const parentState = parent === undefined ? "revoked" : stateOf(parent, now);
      if (parent !== undefined && parentState === "valid") return { status: "valid", token: withoutDigest(parent) };
      return { status: "ended", why: `The token of the session ${endWords[parentState as "expired" | "revoked"]}.` };
    },
  };
}

const endWords = { expired: "has expired", revoked: "was ended" } as const;

/** The id of the token that the session is to stand for; none for this machine's user, who alone has no scope. */
function parentOf({ token, scope, attempt }: Actor): string | undefined {
  if (attempt === undefined && (token !== undefined || scope === undefined)) return token;
  throw new LonghaulError(
    "not_allowed",
    "A session can be opened with a token of this server (`longhaul token create`) or by `longhaul open`.",
  );
}

function maySeeSession(actor: Actor, { session }: TokenRecord): boolean {
  return isServerAdmin(actor) || (actor.token !== undefined && session?.token === actor.token);
}

function toSession({ id, session, createdAt, expiresAt = 0, lastUsedAt }: TokenRecord): Session {
  return { id, of: session?.of ?? "", createdAt, expiresAt, ...(lastUsedAt === undefined ? {} : { lastUsedAt }) };
}

function digestOf(cookie: string, secret: string): Buffer {
  return hash("sha256", `${cookie}.${secret}`, "buffer");
}
