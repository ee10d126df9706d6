import { LonghaulError } from "../job/error.ts";
import type { EventBody } from "../job/event.ts";
import type { JobId } from "../job/id.ts";
import type { Job } from "../job/job.ts";
import type { AttemptHandlers } from "../job/kind.ts";
import { sayStatus } from "../job/status-words.ts";
import { demandKind, type Actor } from "./access.ts";
import type { Engine } from "./engine.ts";

interface InputParts {
  readonly handlers: (id: JobId) => AttemptHandlers;
  readonly note: (id: JobId, event: EventBody) => void;
  /** The job, if the actor may make it do something. */
  readonly getToSteer: (id: string, actor: Actor) => Promise<Job>;
}

/** What callers can hand to a running attempt. */
export function createInputActions({
  handlers,
  note,
  getToSteer,
}: InputParts): Pick<Engine, "send" | "feed" | "resize"> {
  const find = async <Name extends keyof AttemptHandlers>(
    id: string,
    name: Name,
    actor: Actor,
  ): Promise<{ job: Job; take: NonNullable<AttemptHandlers[Name]> }> => {
    const job = await getToSteer(id, actor);
    demandKind(actor, job.kind);
    const take = handlers(job.id)[name];
    if (take === undefined) throw refused(job);
    return { job, take };
  };
  return {
    send: async (id, text, actor = {}) => {
      const { job, take } = await find(id, "send", actor);
      await take(text);
      note(job.id, { type: "text-sent", bytes: Buffer.byteLength(text), by: actor.by });
    },
    feed: async (id, input, actor = {}) => {
      const { job, take } = await find(id, "feed", actor);
      const taken = await take(input);
      const bytes = (input.offset ?? 0) + taken;
      // What comes in many pieces is noted once, with its end.
      const isWhole = input.sender === undefined || (input.isEnd === true && taken === input.bytes.length);
      if (isWhole && bytes > 0) note(job.id, { type: "text-sent", bytes, by: actor.by });
      return taken;
    },
    resize: async (id, size, actor = {}) => {
      const { take } = await find(id, "resize", actor);
      await take(size);
    },
  };
}

function refused(job: Job): LonghaulError {
  const why = job.state.status === "running" ? "takes no input" : sayStatus(job.state.status);
  return new LonghaulError("conflict", `Nothing can be sent to job ${job.id}: it ${why}.`);
}
