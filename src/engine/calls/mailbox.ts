import { LonghaulError } from "../../job/error.ts";
import type { JobId } from "../../job/id.ts";
import type { Letter } from "../../store/mail-store.ts";
import type { Store } from "../../store/store.ts";
import type { Settings } from "../settings.ts";
import type { AttemptCalls } from "./attempt-calls.ts";
import { answerCall, refuseCall } from "./letters.ts";

interface MailboxParts {
  readonly store: Store;
  readonly settings: Settings;
  readonly worker: string;
  readonly here: AttemptCalls;
  readonly isRunning: (id: JobId) => boolean;
}

/** Answers what other engines ask of the attempts that run here; woken by hints, and from time to time by itself. Returns how to stop. */
export function startMailbox(parts: MailboxParts): () => void {
  const { store, settings, worker } = parts;
  if (store.capabilities.isExclusive) return () => undefined;
  const { clock, log, pollMs } = settings;
  let cancelTimer: (() => void) | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const letters = await store.mail.inbox(worker, clock.now());
    // Side by side: an attempt that takes its time holds up nobody else's letter.
    for (const letter of letters) answer(letter, parts).catch(tell);
  };
  const tell = (error: unknown): void => {
    if (!isStopped) log({ level: "warn", message: "what another engine asked could not be answered", error });
  };
  const round = (): void => {
    if (isStopped) return;
    cancelTimer = clock.after(pollMs, () => void look().catch(tell).finally(round));
  };
  const unsubscribe = store.subscribe((hint) => {
    if (hint.type === "letter-posted" && hint.worker === worker) look().catch(tell);
  });
  round();
  return () => {
    isStopped = true;
    unsubscribe();
    cancelTimer?.();
  };
}

async function answer(letter: Letter, { store, here, isRunning }: MailboxParts): Promise<void> {
  const job = isRunning(letter.job) ? await store.get(letter.job) : undefined;
  const text = job === undefined ? refuseCall(movedOn(letter.job)) : await answerCall(letter.body, job, here);
  await store.mail.reply(letter.id, text);
}

function movedOn(job: JobId): LonghaulError {
  return new LonghaulError("unavailable", `Job ${job} no longer runs where it did when this was asked: try again.`);
}
