/** Small texts under names, which servers share for a while: how far a reader has got. */
export interface MarkStore {
  /** What is kept under a name; undefined if that has expired. */
  readonly get: (name: string, now: number) => Promise<string | undefined>;
  /** Keeps a text in place of the one that was read; false, and nothing is written, if another is kept by now. */
  readonly replace: (name: string, change: MarkChange) => Promise<boolean>;
}

export interface MarkChange {
  /** What `get` has answered. */
  readonly before: string | undefined;
  readonly value: string;
  readonly now: number;
  readonly expiresAt: number;
}
