import { timingSafeEqual } from "node:crypto";
import type { Actor } from "../../engine/access.ts";
import { isAttemptToken } from "../../engine/attempt-tokens.ts";
import type { Inside } from "../../engine/inside.ts";
import type { SessionBook, ShownSession } from "../../engine/sessions.ts";
import type { Token, TokenBook } from "../../engine/tokens.ts";
import type { Admission, Admit, Credentials, Refusal } from "./admission.ts";
import type { VerifyJwt } from "./jwt.ts";

export interface AdmitParts {
  readonly tokens: Pick<TokenBook, "check" | "take">;
  readonly sessions?: Pick<SessionBook, "check">;
  /** Knows the tokens of running commands. */
  readonly inside?: Pick<Inside, "check">;
  /** The token of this machine's user, who may do everything, from this machine only. */
  readonly localToken: string;
  /** Who a token of an identity provider stands for, where one is configured. */
  readonly verifyJwt?: VerifyJwt;
  /** Kinds that nobody on another machine may start. */
  readonly barredKinds: readonly string[];
}

/** Admits the user of this machine, whoever shows a token that was given out, and whom the identity provider vouches for. */
export function createAdmit(parts: AdmitParts): Admit {
  const { tokens, sessions, inside, verifyJwt, localToken, barredKinds } = parts;
  const isLocalToken = createTokenCheck(localToken);
  const enter = (actor: Actor, { door, isLocal }: Credentials): Admission => ({
    actor: {
      ...actor,
      by: `${actor.by ?? ""} (${door})`,
      ...(isLocal === true || barredKinds.length === 0 ? {} : { barredKinds }),
    },
  });
  const enterByToken = async (token: Token, credentials: Credentials): Promise<Admission> => {
    const waitSeconds = credentials.isAgain === true ? undefined : await tokens.take(token);
    if (waitSeconds === undefined) return enter(toActor(token), credentials);
    const message = `The token "${token.name}" may make ${token.rate ?? ""} requests: try again in ${waitSeconds} s.`;
    return { refusal: { status: 429, message, retryAfterSeconds: waitSeconds } };
  };
  const enterBySession = async (session: ShownSession, credentials: Credentials): Promise<Admission> => {
    const check = await sessions?.check(session);
    if (check?.status !== "valid") return refuse(401, check?.why ?? "There are no sessions here.");
    if (check.token !== undefined) return enterByToken(check.token, credentials);
    return credentials.isLocal === true ? enter({ by: "local" }, credentials) : unknown;
  };
  return async (credentials) => {
    const { token, session, isLocal } = credentials;
    if (token === undefined && session !== undefined) return enterBySession(session, credentials);
    if (token === undefined) return refuse(401, "Send a token: Authorization: Bearer … (`longhaul token create`).");
    if (isLocalToken(token)) return isLocal === true ? enter({ by: "local" }, credentials) : unknown;
    if (verifyJwt !== undefined && token.split(".").length === 3) {
      const verified = await verifyJwt(token);
      return "actor" in verified ? enter(verified.actor, credentials) : verified;
    }
    if (inside !== undefined && isAttemptToken(token)) return admitAttempt(inside, token);
    const check = await tokens.check(token);
    if (check.status === "unknown") return unknown;
    if (check.status !== "valid") return refuse(401, `The token "${check.token.name}" ${ended[check.status]}.`);
    return enterByToken(check.token, credentials);
  };
}

/** Admits a command that runs in a job, to that job alone. */
export function admitAttempt(inside: Pick<Inside, "check">, token: string): Admission {
  const actor = inside.check(token);
  if (actor === "ended") return refuse(401, "The attempt that this token was given to has ended.");
  return actor === undefined ? unknown : { actor };
}

const ended = { expired: "has expired", revoked: "was revoked" } as const;
const unknown = refuse(401, "The token is not known to this server.");

function refuse(status: Refusal["status"], message: string): { refusal: Refusal } {
  return { refusal: { status, message } };
}

function toActor({ id, name, owner, scope, kinds }: Token): Actor {
  return { by: name, scope, owner, kinds, token: id };
}

/** All of ours is compared whatever is given, so that the time it takes tells nothing about it. */
function createTokenCheck(token: string): (given: string) => boolean {
  const expected = Buffer.from(token);
  const compared = Buffer.alloc(expected.length);
  return (given) => {
    compared.fill(0).write(given);
    return timingSafeEqual(compared, expected) && given.length === token.length;
  };
}
