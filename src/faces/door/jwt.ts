import { scopes, type Actor, type Scope } from "../../engine/access.ts";
import { messageOf } from "../../job/failure.ts";
import type { Refusal } from "./admission.ts";

export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  /** Where the issuer's keys are; asked of the issuer unless given. */
  readonly jwksUri?: string;
  readonly ownerClaim: string;
  readonly scopeClaim: string;
  /** What a word in the scope claim allows. */
  readonly scopes: Readonly<Record<string, Scope>>;
  /** How soon keys are fetched again for a key that is not known: forged tokens must not make us ask all the time. */
  readonly keyCooldownMs?: number;
}

export type VerifyJwt = (token: string) => Promise<{ readonly actor: Actor } | { readonly refusal: Refusal }>;

/** Asymmetric only: with a shared secret, whoever can check a token could also make one. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Of the errors that `jose` throws, those that speak of the token; the others speak of the keys and how they were fetched. */
const tokenFault = /^ERR_(JWT_|JWS_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING|JWKS_MULTIPLE)/;
const clockToleranceSeconds = 30;
const fetchTimeoutMs = 5_000;
const longestOwner = 200;

/** Checks tokens of an OpenID Connect provider, or of whoever signs JWTs with published keys. */
export function createJwtVerifier(settings: JwtSettings): VerifyJwt {
  let loading: Promise<Checker> | undefined;
  const load = (): Promise<Checker> => {
    loading ??= createChecker(settings).catch((error: unknown) => {
      // Asked again with the next token: the provider may be back by then.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return async (token) => {
    try {
      const check = await load();
      return toActor(await check(token), settings);
    } catch (error) {
      const isTokensFault = tokenFault.test(String((error as { code?: unknown }).code));
      return isTokensFault ? refuse(401, `The token is not valid: ${messageOf(error)}.`) : unavailable(error);
    }
  };
}

type Claims = Readonly<Record<string, unknown>>;
type Checker = (token: string) => Promise<Claims>;

async function createChecker(settings: JwtSettings): Promise<Checker> {
  const { createRemoteJWKSet, jwtVerify } = await import("jose");
  const { issuer, audience, keyCooldownMs: cooldownDuration = 30_000 } = settings;
  const uri = settings.jwksUri ?? (await discover(issuer));
  const keys = createRemoteJWKSet(new URL(uri), { cooldownDuration, timeoutDuration: fetchTimeoutMs });
  const rules = { issuer, audience, algorithms, clockTolerance: clockToleranceSeconds, requiredClaims: ["exp"] };
  return async (token) => (await jwtVerify(token, keys, rules)).payload;
}

async function discover(issuer: string): Promise<string> {
  const response = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(fetchTimeoutMs),
    redirect: "error",
  });
  const found = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (found.issuer === issuer && typeof found.jwks_uri === "string") return found.jwks_uri;
  throw new Error(`what ${issuer} publishes about itself names another issuer, or no keys`);
}

function toActor(claims: Claims, settings: JwtSettings): Awaited<ReturnType<VerifyJwt>> {
  const owner = claims[settings.ownerClaim];
  if (typeof owner !== "string" || owner === "" || owner.length > longestOwner) {
    return refuse(403, `The token has no owner: its claim "${settings.ownerClaim}" must be a string.`);
  }
  const words = claims[settings.scopeClaim];
  const said = typeof words === "string" ? words.split(" ") : Array.isArray(words) ? words : [];
  const granted = new Set(
    said.map((word) => (Object.hasOwn(settings.scopes, String(word)) ? settings.scopes[String(word)] : undefined)),
  );
  const scope = scopes.findLast((each) => granted.has(each));
  if (scope === undefined) {
    const known = Object.keys(settings.scopes).join(", ");
    return refuse(403, `The token allows nothing here: its claim "${settings.scopeClaim}" has none of: ${known}.`);
  }
  return { actor: { owner, scope, by: owner } };
}

function refuse(status: Refusal["status"], message: string): { refusal: Refusal } {
  return { refusal: { status, message } };
}

function unavailable(error: unknown): { refusal: Refusal } {
  const message = `The token cannot be checked, because the identity provider does not answer properly: ${messageOf(error)}.`;
  return { refusal: { status: 503, message, retryAfterSeconds: 5 } };
}
