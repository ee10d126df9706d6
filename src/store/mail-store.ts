import type { JobId } from "../job/id.ts";

/** A word from an engine that does not run an attempt to the one that does. Its texts are JSON: the store never looks inside. */
export interface Letter {
  readonly id: string;
  readonly job: JobId;
  /** To whom: the worker of the job's lease. */
  readonly worker: string;
  readonly body: string;
  /** Nobody takes it from then on. */
  readonly expiresAt: number;
}

/**
 * What became of a letter: nobody has taken it yet, somebody has, or there is an answer. `gone` is one that the store does not know
 * (any more): a store may lose letters, never hand one out twice.
 */
export type LetterState =
  | { readonly type: "waiting" }
  | { readonly type: "taken" }
  | { readonly type: "answered"; readonly answer: string }
  | { readonly type: "gone" };

/** Letters between the engines that share a store. Each is taken at most once; what came of it is kept for a minute after its time. */
export interface MailStore {
  readonly post: (letter: Letter) => Promise<void>;
  /** Takes the letters to this worker whose time has not come, oldest first. Nobody gets them again. */
  readonly inbox: (worker: string, now: number) => Promise<Letter[]>;
  /** Answers a letter that was taken. */
  readonly reply: (id: string, answer: string) => Promise<void>;
  /** What has become of a letter so far. */
  readonly look: (id: string) => Promise<LetterState>;
  /** Takes a letter back: says what had become of it; one that was still waiting is taken by nobody from then on. */
  readonly withdraw: (id: string) => Promise<LetterState>;
}
