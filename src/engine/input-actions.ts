import type { Job } from "../job/job.ts";
import { demandKind, type Actor } from "./access.ts";
import type { AttemptCalls } from "./calls/attempt-calls.ts";
import type { Engine } from "./engine.ts";

interface InputParts {
  readonly calls: AttemptCalls;
  /** The job, if the actor may make it do something. */
  readonly getToSteer: (id: string, actor: Actor) => Promise<Job>;
}

/** What callers can hand to a running attempt. */
export function createInputActions({ calls, getToSteer }: InputParts): Pick<Engine, "send" | "feed" | "resize"> {
  const find = async (id: string, actor: Actor): Promise<Job> => {
    const job = await getToSteer(id, actor);
    demandKind(actor, job.kind);
    return job;
  };
  return {
    send: async (id, text, actor = {}) => calls.send(await find(id, actor), text, actor.by),
    feed: async (id, input, actor = {}) => calls.feed(await find(id, actor), input, actor.by),
    resize: async (id, size, actor = {}) => calls.resize(await find(id, actor), size),
  };
}
