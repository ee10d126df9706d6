import type { Actor } from "../engine/access.ts";

/** What a request shows at the door. */
export interface Credentials {
  /** The bearer token. */
  readonly token?: string;
  /** The door, for the record: "http", "mcp". */
  readonly door: string;
  /** It is certain that the caller is on this machine. */
  readonly isLocal?: boolean;
  /** The request was let in before, and is only looked at again: it does not count against the token's rate. */
  readonly isAgain?: boolean;
}

export interface Refusal {
  readonly status: 401 | 403 | 429 | 503;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export type Admission = { readonly actor: Actor } | { readonly refusal: Refusal };

/** Says who asks. Every face that is open to the network admits through one of these, and through nothing else. */
export type Admit = (credentials: Credentials) => Promise<Admission>;
