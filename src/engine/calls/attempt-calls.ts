import { LonghaulError } from "../../job/error.ts";
import type { EventBody } from "../../job/event.ts";
import type { JobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import type { Json } from "../../job/json.ts";
import type { AttemptHandlers, SentInput, WindowSize } from "../../job/kind.ts";
import { isHeld } from "../../job/state.ts";
import { sayStatus } from "../../job/status-words.ts";

/** What callers may ask of a running attempt, wherever it runs. Who may ask is decided before. */
export interface AttemptCalls {
  readonly send: (job: Job, text: string, by?: string) => Promise<void>;
  readonly feed: (job: Job, input: SentInput, by?: string) => Promise<number>;
  readonly resize: (job: Job, size: WindowSize | undefined) => Promise<void>;
  readonly inspect: (job: Job) => Promise<Record<string, Json>>;
  readonly summarize: (job: Job) => Promise<string>;
}

interface HereParts {
  readonly handlers: (id: JobId) => AttemptHandlers;
  readonly note: (id: JobId, event: EventBody) => void;
}

/** Of the attempts that this engine runs. */
export function createCallsHere({ handlers, note }: HereParts): AttemptCalls {
  const find = <Name extends "send" | "feed" | "resize">(job: Job, name: Name): NonNullable<AttemptHandlers[Name]> => {
    const take = handlers(job.id)[name];
    if (take === undefined) throw takesNothing(job);
    return take;
  };
  return {
    send: async (job, text, by) => {
      await find(job, "send")(text);
      note(job.id, { type: "text-sent", bytes: Buffer.byteLength(text), by });
    },
    feed: async (job, input, by) => {
      const taken = await find(job, "feed")(input);
      const bytes = (input.offset ?? 0) + taken;
      // What comes in many pieces is noted once, with its end.
      const isWhole = input.sender === undefined || (input.isEnd === true && taken === input.bytes.length);
      if (isWhole && bytes > 0) note(job.id, { type: "text-sent", bytes, by });
      return taken;
    },
    resize: async (job, size) => find(job, "resize")(size),
    inspect: async (job) => (await handlers(job.id).inspect?.()) ?? {},
    summarize: async (job) => {
      const { summarize } = handlers(job.id);
      if (summarize !== undefined) return summarize();
      const why = isHeld(job.state)
        ? `jobs of kind "${job.kind}" have no summaries`
        : `it ${sayStatus(job.state.status)}`;
      throw new LonghaulError("conflict", `Job ${job.id} has no summary: ${why}.`);
    },
  };
}

function takesNothing(job: Job): LonghaulError {
  const why = job.state.status === "running" ? "takes no input" : sayStatus(job.state.status);
  return new LonghaulError("conflict", `Nothing can be sent to job ${job.id}: it ${why}.`);
}
