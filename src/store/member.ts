/** An engine that has the store open, as it tells of itself. */
export interface Member {
  /** Names its leases; another one after each start. */
  readonly worker: string;
  /** Where its commands and files are; stays the same. */
  readonly machine: string;
  readonly role: "server" | "worker";
  readonly labels: readonly string[];
  readonly kinds: readonly MemberKind[];
  readonly version: string;
  /** Where a server can be reached. */
  readonly address?: string;
  readonly startedAt: number;
  readonly beatAt: number;
  /** If nothing is heard until then, it is gone. */
  readonly expiresAt: number;
}

export interface MemberKind {
  readonly name: string;
  /** How many jobs of the kind it runs at once, and how many it runs now. */
  readonly slots: number;
  readonly running: number;
}
