import { randomUUID } from "node:crypto";
import { z } from "zod";
import { LonghaulError } from "../../job/error.ts";
import type { Job } from "../../job/job.ts";
import type { Json } from "../../job/json.ts";
import { isHeld, type HeldState } from "../../job/state.ts";
import type { Letter, LetterState } from "../../store/mail-store.ts";
import type { Store } from "../../store/store.ts";
import type { Feed } from "../feed.ts";
import type { Settings } from "../settings.ts";
import type { AttemptCalls } from "./attempt-calls.ts";
import { readAnswer, type AttemptCall } from "./letters.ts";

interface ElsewhereParts {
  readonly store: Store;
  readonly settings: Settings;
  readonly feed: Feed;
  readonly worker: string;
}

/** So long a caller waits for another engine. */
const answerMs = 5_000;
/** A summary is made by a model while its caller waits. */
const summaryMs = 60_000;
/** How often it is looked for an answer whose hint got lost. */
const lookMs = 500;

/** Calls of attempts: those that this engine runs directly, others by a letter to the engine that does. */
export function createCalls(here: AttemptCalls, parts: ElsewhereParts): AttemptCalls {
  if (parts.store.capabilities.isExclusive) return here;
  const isElsewhere = ({ state }: Job): boolean => isHeld(state) && state.lease.worker !== parts.worker;
  const ask = (job: Job, call: AttemptCall, waitMs?: number): Promise<Json> => askElsewhere(job, call, parts, waitMs);
  return {
    send: async (job, text, by) => {
      if (!isElsewhere(job)) return here.send(job, text, by);
      await ask(job, { verb: "send", text, by });
    },
    feed: async (job, input, by) => {
      if (!isElsewhere(job)) return here.feed(job, input, by);
      const { bytes, ...rest } = input;
      const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
      return z.number().parse(await ask(job, { verb: "feed", base64, ...rest, by }));
    },
    resize: async (job, size) => {
      if (!isElsewhere(job)) return here.resize(job, size);
      await ask(job, { verb: "resize", size });
    },
    inspect: async (job) => {
      if (!isElsewhere(job)) return here.inspect(job);
      return z.record(z.string(), z.json()).parse(await ask(job, { verb: "inspect" }));
    },
    summarize: async (job) => {
      if (!isElsewhere(job)) return here.summarize(job);
      return z.string().parse(await ask(job, { verb: "summarize" }, summaryMs));
    },
  };
}

async function askElsewhere(job: Job, call: AttemptCall, parts: ElsewhereParts, waitMs = answerMs): Promise<Json> {
  const { worker } = (job.state as HeldState).lease;
  // One that nobody takes soon is taken by nobody: whoever asked has been refused meanwhile.
  const expiresAt = parts.settings.clock.now() + answerMs;
  const letter = { id: randomUUID(), job: job.id, worker, body: JSON.stringify(call), expiresAt };
  const state = await postAndWait(letter, parts, waitMs);
  if (state.type === "answered") return readAnswer(state.answer);
  throw unanswered(job, state, waitMs);
}

/** What has become of the letter when it was answered or the time is over; it is withdrawn then. */
async function postAndWait(
  letter: Letter,
  { store, settings, feed }: ElsewhereParts,
  waitMs: number,
): Promise<LetterState> {
  const { clock } = settings;
  const changes = feed.changes([letter.job], undefined, () => false);
  const unsubscribe = store.subscribe((hint) => {
    if (hint.type === "letter-answered" && hint.letter === letter.id) changes.ring(letter.job);
  });
  const postedAt = clock.monotonic();
  try {
    await store.mail.post(letter);
    for (;;) {
      const leftMs = Math.max(0, postedAt + waitMs - clock.monotonic());
      if ((await changes.next(Math.min(lookMs, leftMs))) === "aborted") throw stopped();
      const waitedMs = clock.monotonic() - postedAt;
      const { type } = await store.mail.look(letter.id);
      const isLate = waitedMs >= (type === "waiting" ? answerMs : waitMs);
      if (type === "answered" || type === "gone" || isLate) return await store.mail.withdraw(letter.id);
    }
  } finally {
    unsubscribe();
    changes.close();
  }
}

function stopped(): LonghaulError {
  return new LonghaulError("stopped", "The engine has stopped.");
}

function unanswered(job: Job, state: LetterState, waitMs: number): LonghaulError {
  const seconds = waitMs / 1_000;
  const message =
    state.type === "waiting"
      ? `The worker that runs job ${job.id} did not answer within ${answerMs / 1_000} s, and was not told anything: try again.`
      : `The worker that runs job ${job.id} did not answer within ${seconds} s. Whether it has done what was asked is not known: look at the job before you try again.`;
  return new LonghaulError("unavailable", message);
}
