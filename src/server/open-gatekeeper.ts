import type { LoadedConfig } from "../config/config.ts";
import type { Engine } from "../engine/engine.ts";
import { isLoopbackHost } from "../faces/door/addresses.ts";
import { createAdmit } from "../faces/door/admit.ts";
import { createGatekeeper, type Gatekeeper } from "../faces/door/gatekeeper.ts";
import { createJwtVerifier, type VerifyJwt } from "../faces/door/jwt.ts";
import { LonghaulError } from "../job/error.ts";

/** Who may come in over the network, by the configuration and the tokens that were given out. */
export async function openGatekeeper(config: LoadedConfig, engine: Engine, localToken: string): Promise<Gatekeeper> {
  const { host, hosts, origins, trusted_proxies: trustedProxies } = config.server;
  // Where machines share a store, a token may be made on any of them at any time.
  const isAlone = config.store === undefined;
  if (isAlone && !isLoopbackHost(host) && config.oidc === undefined) await demandToken(engine, host);
  const admit = createAdmit({
    tokens: engine.tokens,
    sessions: engine.sessions,
    inside: engine.inside,
    localToken,
    barredKinds: config.shell.allow_remote ? [] : ["shell"],
    verifyJwt: toVerifier(config.oidc),
  });
  // "All addresses" is no name that a request could rightly ask for.
  const own = host === "0.0.0.0" || host === "::" ? [] : [host.includes(":") ? `[${host}]` : host];
  return createGatekeeper({ admit, hosts: [...hosts, ...own], origins, trustedProxies });
}

/** The token in the file counts on this machine only: without another, nobody could be let in from elsewhere. */
async function demandToken(engine: Engine, host: string): Promise<void> {
  const now = Date.now();
  const tokens = await engine.tokens.list();
  if (tokens.some(({ revokedAt, expiresAt = Infinity }) => revokedAt === undefined && expiresAt > now)) return;
  throw new LonghaulError(
    "not_allowed",
    `Other machines could reach the server on ${host}, but there is no token for them. Make one first (\`LONGHAUL_HOST=127.0.0.1 longhaul token create NAME\`, then \`longhaul server stop\`), or configure oidc.`,
  );
}

function toVerifier(oidc: LoadedConfig["oidc"]): VerifyJwt | undefined {
  if (oidc === undefined) return undefined;
  const { issuer, audience, scopes, owner_claim: ownerClaim, scope_claim: scopeClaim, jwks_uri: jwksUri } = oidc;
  return createJwtVerifier({ issuer, audience, scopes, ownerClaim, scopeClaim, jwksUri });
}
