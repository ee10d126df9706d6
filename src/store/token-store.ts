/** Tokens that stand for somebody at the doors to the network. Only a digest of the secret is kept. */
export interface TokenStore {
  /** Refused (`conflict`) while another token of this name is not revoked. */
  readonly add: (token: TokenRecord) => Promise<void>;
  /** Oldest first, revoked ones included. */
  readonly list: () => Promise<TokenRecord[]>;
  readonly find: (id: string) => Promise<TokenRecord | undefined>;
  /** For good; false if there is no such token, or it was revoked before. */
  readonly revoke: (id: string, at: number) => Promise<boolean>;
  /** Notes that the token was used; writes at most once a minute. */
  readonly touch: (id: string, at: number) => Promise<void>;
  /**
   * Takes one of the requests that a rate such as "100/min" leaves, counted for all servers together; undefined, or for how many
   * milliseconds there is none. It is not durable: after a restart of the store all may be there again.
   */
  readonly take: (id: string, request: { rate: string; now: number }) => Promise<number | undefined>;
}

export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, in hex. */
  readonly digest: string;
  /** Whose jobs it is for; everybody's if absent. */
  readonly owner?: string;
  readonly scope: "read" | "run" | "admin";
  /** The kinds of job that it is for; all if absent. */
  readonly kinds?: readonly string[];
  /** Most requests, such as "100/min". */
  readonly rate?: string;
  readonly createdAt: number;
  readonly createdBy?: string;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
  /** It is a browser's session, and may what the token with this id may, or what this machine's user may. */
  readonly session?: { readonly of: string; readonly token?: string };
}
