import { LonghaulError } from "../../../job/error.ts";
import { isTerminal } from "../../../job/state.ts";
import { jobOutput } from "../../../operations/output.ts";
import { findJob } from "../../../operations/job-reference.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { signOfLife, toFrame, type LiveChunk, type LiveSource } from "./live-source.ts";
import type { Fields } from "../route.ts";

const chunkBytes = 64_000;

/**
 * A job's output as it is written, over all its attempts. Ids are `attempt:offset`, where to read on; that of the last
 * event ends with `:end`, and nothing comes after it (undefined).
 */
export async function openLiveOutput(
  context: OperationContext,
  fields: Fields,
  lastEventId: string | undefined,
  keepAliveMs: number,
): Promise<LiveSource | undefined> {
  const { engine } = context;
  const { tail, from: _from, limit: _limit, wait_ms: _wait, id: reference, ...wanted } = fields;
  const { id, state } = await findJob(engine, String(reference), context.actor);
  const place = lastEventId === undefined ? undefined : parsePlace(lastEventId);
  if (place?.isEnd === true && isTerminal(state) && state.attempt <= place.attempt) return undefined;
  // The first read checks the fields, and finds where the last lines begin.
  const first = await jobOutput.call(context, { ...fields, id, limit: chunkBytes, wait_ms: 0 });
  const attempt = place?.attempt ?? (fields["attempt"] as number | undefined) ?? state.attempt;
  const offset = place?.offset ?? (tail === undefined ? (fields["from"] ?? 0) : first.from);
  const read = async (cursor: string, signal: AbortSignal): Promise<LiveChunk> => {
    const at = parsePlace(cursor);
    const output = await jobOutput.call(
      { ...context, actor: {}, signal },
      { ...wanted, id, attempt: at.attempt, from: at.offset, limit: chunkBytes, wait_ms: keepAliveMs },
    );
    const job = await engine.get(id);
    const isOver = output.is_complete && isTerminal(job.state);
    const hasNextAttempt = wanted["attempt"] === undefined && job.state.attempt > at.attempt;
    const reached = `${at.attempt}:${output.next}`;
    const { text, from, next, dropped, note } = output;
    const frames = [
      text === "" && note === undefined
        ? ""
        : toFrame({
            id: reached,
            type: "output",
            data: { attempt: at.attempt, from, next, dropped, text, note },
          }),
      isOver && !hasNextAttempt
        ? toFrame({ id: `${reached}:end`, type: "end", data: { attempt: at.attempt, state: job.state.status } })
        : "",
    ].join("");
    return {
      frame: frames === "" ? signOfLife : Buffer.from(frames),
      next: output.is_complete && hasNextAttempt ? `${at.attempt + 1}:0` : reached,
      isLast: isOver && !hasNextAttempt,
    };
  };
  return { target: `output ${id} ${JSON.stringify(wanted)}`, cursor: `${attempt}:${Number(offset)}`, read };
}

function parsePlace(text: string): { attempt: number; offset: number; isEnd: boolean } {
  const [, attempt, offset, end] = /^(\d{1,9}):(\d{1,15})(:end)?$/.exec(text) ?? [];
  if (attempt !== undefined) return { attempt: Number(attempt), offset: Number(offset), isEnd: end !== undefined };
  throw new LonghaulError("invalid_input", `Last-Event-ID must be one that this stream sent, got "${text}".`);
}
