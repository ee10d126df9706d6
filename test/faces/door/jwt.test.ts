import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAdmit } from "../../../src/faces/door/admit.ts";
import { createJwtVerifier, type JwtSettings, type VerifyJwt } from "../../../src/faces/door/jwt.ts";
import { listen } from "./access-world.ts";

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

async function makeKey(kid: string, alg = "ES256"): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** An identity provider on this machine. */
const provider = { keys: [] as JWK[], asked: 0, isDown: false, claimedIssuer: "" };
let issuer = "";
let close: (() => Promise<void>) | undefined;
let first: Key;
let rsa: Key;

beforeAll(async () => {
  [first, rsa] = await Promise.all([makeKey("first"), makeKey("rsa", "RS256")]);
  const server = await listen((request, response) => {
    if (provider.isDown) {
      response.writeHead(500).end();
      return;
    }
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    if (!isDiscovery) provider.asked += 1;
    const found = { issuer: provider.claimedIssuer, jwks_uri: `${issuer}/keys` };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(isDiscovery ? found : { keys: provider.keys }));
  });
  issuer = server.url;
  close = server.close;
});
afterAll(() => close?.());
beforeEach(() => {
  Object.assign(provider, { keys: [first.jwk, rsa.jwk], asked: 0, isDown: false, claimedIssuer: issuer });
});

const standard: Readonly<Record<string, "read" | "run" | "admin">> = {
  "longhaul:read": "read",
  "longhaul:run": "run",
  "longhaul:admin": "admin",
};

function verifier(settings: Partial<JwtSettings> = {}): VerifyJwt {
  const usual = { issuer, audience: "longhaul", ownerClaim: "sub", scopeClaim: "scope", scopes: standard };
  return createJwtVerifier({ ...usual, keyCooldownMs: 0, ...settings });
}

type Claims = Record<string, unknown>;

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const claims = (more: Claims = {}): Claims => ({
  sub: "ada",
  iss: issuer,
  aud: "longhaul",
  exp: nowSeconds() + 300,
  scope: "openid longhaul:run",
  ...more,
});

function sign(more: Claims = {}, { privateKey, kid, alg }: Key = first): Promise<string> {
  return new SignJWT(claims(more)).setProtectedHeader({ alg, kid }).sign(privateKey);
}

const ada = { actor: { owner: "ada", scope: "run", by: "ada" } };
const refused = (status: number): object => ({ refusal: { status } });

describe("a JWT", () => {
  it("of the issuer stands for its subject, with the scope that it says", async () => {
    const verify = verifier();
    expect(await verify(await sign())).toEqual(ada);
    expect(await verify(await sign({}, rsa))).toEqual(ada);
    expect(await verify(await sign({ scope: "longhaul:admin longhaul:read" }))).toMatchObject({
      actor: { scope: "admin" },
    });
    expect(await verify(await sign({ scope: ["longhaul:read"] }))).toMatchObject({ actor: { scope: "read" } });
    expect(provider.asked).toBe(1);
  });

  it("may say owner and scope in other claims and words", async () => {
    const verify = verifier({ ownerClaim: "email", scopeClaim: "roles", scopes: { operator: "run", boss: "admin" } });
    expect(await verify(await sign({ email: "ada@example.com", roles: ["boss", "operator"] }))).toEqual({
      actor: { owner: "ada@example.com", scope: "admin", by: "ada@example.com" },
    });
    expect(
      await verify(await sign({ email: "ada@example.com", roles: ["constructor", "longhaul:admin"] })),
    ).toMatchObject(refused(403));
    expect(await verify(await sign({ roles: ["boss"] }))).toMatchObject(refused(403));
  });

  const wrong: Record<string, Claims> = {
    "another issuer": { iss: "https://evil.example" },
    "another audience": { aud: "another" },
    "a time that has passed": { exp: nowSeconds() - 120 },
    "no end": { exp: undefined },
    "a time that has not come": { nbf: nowSeconds() + 300 },
  };
  it.each(Object.entries(wrong))("with %s is refused", async (_name, more) => {
    expect(await verifier()(await sign(more))).toMatchObject(refused(401));
  });

  it.each([{ sub: "" }, { sub: 7 }, { sub: "x".repeat(201) }, { scope: "openid" }, { scope: undefined }, { scope: 7 }])(
    "that allows nothing, or has no owner, is refused: %j",
    async (more) => {
      expect(await verifier()(await sign(more))).toMatchObject(refused(403));
    },
  );

  it("without a signature is refused", async () => {
    expect(await verifier()(new UnsecuredJWT(claims()).encode())).toMatchObject(refused(401));
    const [header = "", payload = ""] = (await sign()).split(".");
    expect(await verifier()(`${header}.${payload}.`)).toMatchObject(refused(401));
  });

  it("signed with the public key as if it were a secret is refused", async () => {
    const secret = new TextEncoder().encode(await exportSPKI(rsa.publicKey));
    const forged = await new SignJWT(claims()).setProtectedHeader({ alg: "HS256", kid: "rsa" }).sign(secret);
    expect(await verifier()(forged)).toMatchObject(refused(401));
  });

  it("signed by a key of the same name, or changed afterwards, is refused", async () => {
    expect(await verifier()(await sign({}, await makeKey("first")))).toMatchObject(refused(401));
    const [header = "", , signature = ""] = (await sign()).split(".");
    const payload = Buffer.from(JSON.stringify(claims({ sub: "bob" }))).toString("base64url");
    expect(await verifier()(`${header}.${payload}.${signature}`)).toMatchObject(refused(401));
  });

  it.each(["a.b.c", "..", "eyJhbGciOiJFUzI1NiJ9.e30.AA"])("that is none is refused: %s", async (text) => {
    expect(await verifier()(text)).toMatchObject(refused(401));
  });
});

describe("the issuer's keys", () => {
  it("may change: a new key is fetched, and an old one is worth nothing any more", async () => {
    const verify = verifier();
    const before = await sign();
    expect(await verify(before)).toEqual(ada);
    const second = await makeKey("second");
    expect(await verify(await sign({}, second))).toMatchObject(refused(401));
    provider.keys = [second.jwk];
    expect(await verify(await sign({}, second))).toEqual(ada);
    expect(await verify(before)).toMatchObject(refused(401));
  });

  it("are not asked for again and again because of keys that nobody knows", async () => {
    const verify = verifier({ keyCooldownMs: 60_000 });
    const unknown = await makeKey("unknown");
    for (let round = 0; round < 5; round++) expect(await verify(await sign({}, unknown))).toMatchObject(refused(401));
    expect(provider.asked).toBe(1);
  });

  it("may be found at an address that is given", async () => {
    provider.claimedIssuer = "nothing to be found out";
    expect(await verifier({ jwksUri: `${issuer}/keys` })(await sign())).toEqual(ada);
    expect(await verifier()(await sign())).toMatchObject(refused(503));
  });

  it("that cannot be had are no verdict on the token, and are asked for again", async () => {
    const verify = verifier();
    provider.isDown = true;
    expect(await verify(await sign())).toMatchObject({ refusal: { status: 503, retryAfterSeconds: 5 } });
    provider.isDown = false;
    expect(await verify(await sign())).toEqual(ada);
  });
});

it("a JWT is admitted beside other tokens, under its owner's name and the door", async () => {
  const tokens = { check: async () => ({ status: "unknown" }) as const, take: async () => undefined };
  const admit = createAdmit({ tokens, localToken: "local", barredKinds: [], verifyJwt: verifier() });
  expect(await admit({ token: await sign(), door: "http" })).toEqual({
    actor: { owner: "ada", scope: "run", by: "ada (http)" },
  });
  expect(await admit({ token: "something else", door: "http" })).toMatchObject(refused(401));
  const without = createAdmit({ tokens, localToken: "local", barredKinds: [] });
  expect(await without({ token: await sign(), door: "http" })).toMatchObject(refused(401));
});
