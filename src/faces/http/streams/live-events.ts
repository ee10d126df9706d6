import { LonghaulError } from "../../../job/error.ts";
import { parseInput } from "../../../job/issue.ts";
import { isTerminal } from "../../../job/state.ts";
import { findJob } from "../../../operations/job-reference.ts";
import { jobEvents } from "../../../operations/job.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { signOfLife, toFrame, type LiveSource } from "./live-source.ts";
import type { Fields } from "../route.ts";

const pageSize = 200;

/** A job's events, each with its sequence number as its id; undefined when there is nothing left after the cursor. */
export async function openLiveEvents(
  { engine, actor }: OperationContext,
  fields: Fields,
  lastEventId: string | undefined,
  keepAliveMs: number,
): Promise<LiveSource | undefined> {
  const request = parseInput(jobEvents.input, fields, jobEvents.name);
  const { id, lastSeq, state } = await findJob(engine, request.id, actor);
  const start = lastEventId ?? String(request.after);
  if (!/^\d{1,15}$/.test(start)) {
    throw new LonghaulError("invalid_input", `Last-Event-ID must be the number of an event, got "${start}".`);
  }
  if (lastEventId !== undefined && isTerminal(state) && Number(start) >= lastSeq) return undefined;
  return {
    target: `events ${id}`,
    cursor: start,
    read: async (cursor, signal) => {
      const after = Number(cursor);
      await engine.wait(id, { until: (job) => job.lastSeq > after, timeoutMs: keepAliveMs, signal });
      const events = await engine.events(id, after, pageSize);
      const job = await engine.get(id);
      const last = events.at(-1)?.seq ?? after;
      const frames = events.map((event) => toFrame({ id: String(event.seq), type: event.type, data: event }));
      return {
        frame: events.length === 0 ? signOfLife : Buffer.from(frames.join("")),
        next: String(last),
        isLast: isTerminal(job.state) && job.lastSeq <= last,
      };
    },
  };
}
