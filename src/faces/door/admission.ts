import type { Actor } from "../../engine/access.ts";
import type { ShownSession } from "../../engine/sessions.ts";

/** How somebody comes in. */
export interface Entry {
  /** The entrance, for the record: "http", "mcp". */
  readonly door: string;
  /** A token counts without the word "Bearer" before it, too. */
  readonly takesBareToken?: boolean;
  /** The request was let in before, and is only looked at again: it does not count against the token's rate. */
  readonly isAgain?: boolean;
}

/** What a request shows at the door. */
export interface Credentials extends Entry {
  /** The bearer token. */
  readonly token?: string;
  /** What a page of this server shows instead of a token. */
  readonly session?: ShownSession;
  /** It is certain that the caller is on this machine. */
  readonly isLocal?: boolean;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 429 | 503;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export type Admission = { readonly actor: Actor } | { readonly refusal: Refusal };

/** Says who asks. Every face that is open to the network admits through one of these, and through nothing else. */
export type Admit = (credentials: Credentials) => Promise<Admission>;
