import type { IncomingMessage, ServerResponse } from "node:http";
import { isTerminal } from "../../../job/state.ts";
import { jobOutput } from "../../../operations/output.ts";
import { findJob } from "../../../operations/job-reference.ts";
import { openOutput, type OutputSource } from "../../../operations/merged-output.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { isDrained } from "./live-streams.ts";
import { HttpError } from "../../door/http-error.ts";
import { safetyHeaders } from "../../door/answer.ts";
import type { Fields } from "../route.ts";
import { parseInput } from "../../../job/issue.ts";
import { countText } from "../../../text/count-text.ts";

const chunkBytes = 256_000;

/** Answers with the bytes of the output as they are: a range of them, or all that are kept from `from` on. */
export async function sendRawOutput(
  context: OperationContext,
  fields: Fields,
  { request, response, drainMs }: { request: IncomingMessage; response: ServerResponse; drainMs: number },
): Promise<void> {
  const headers = { ...safetyHeaders, "content-type": "text/plain; charset=utf-8", "accept-ranges": "bytes" };
  // Checks the fields; and tail, grep, limit and wait_ms are answered by what the operation finds.
  const asked = parseInput(jobOutput.input, fields, jobOutput.name);
  const found = await jobOutput.call(context, asked);
  if (["tail", "grep", "limit", "wait_ms"].some((name) => name in fields)) {
    const told = found.note === undefined ? {} : { "x-longhaul-note": found.note };
    response.writeHead(200, { ...headers, ...told }).end(found.text);
    return;
  }
  const job = await findJob(context.engine, found.id, context.actor);
  const { stream, attempt = job.state.attempt } = asked;
  const isOver = isTerminal(job.state) || attempt < job.state.attempt;
  const source = await openOutput(context.engine, { id: job.id, attempt, stream, isOver }, context.actor);
  const { size, dropped } = await source.read(0, 1);
  const range = parseRange(request.headers.range, size);
  if (range === undefined) {
    response.writeHead(200, headers);
    await copy(source, { from: asked.from ?? 0, to: size }, response, drainMs);
    return;
  }
  const { from, to } = dropped === 0 ? range : await firstKept(source, range);
  const contentRange = `bytes ${from}-${to - 1}/${isOver ? size : "*"}`;
  response.writeHead(206, { ...headers, "content-range": contentRange, "content-length": to - from });
  await copy(source, { from, to }, response, drainMs);
}

interface Range {
  readonly from: number;
  /** The first offset after it. */
  readonly to: number;
}

/** Undefined when no range is asked for, or one in a form that nobody has to understand: then all of it is sent. */
function parseRange(header: string | undefined, size: number): Range | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to };
  throw new HttpError(
    416,
    "range_not_satisfiable",
    `There is nothing in that range: the output has ${countText(size, "byte")}.`,
    {
      "content-range": `bytes */${size}`,
    },
  );
}

/** Where bytes were dropped the answer says which of those asked for it has: the first that are kept, in one piece. */
async function firstKept(source: OutputSource, { from, to }: Range): Promise<Range> {
  const kept = await source.read(from, Math.min(to - from, chunkBytes));
  if (kept.from < to && kept.bytes.length > 0) return { from: kept.from, to: Math.min(to, kept.next) };
  throw new HttpError(416, "range_not_satisfiable", "All bytes of that range were dropped.", {
    "content-range": `bytes */${kept.size}`,
  });
}

async function copy(
  source: OutputSource,
  { from, to }: Range,
  response: ServerResponse,
  drainMs: number,
): Promise<void> {
  let at = from;
  while (at < to && !response.destroyed) {
    const chunk = await source.read(at, Math.min(chunkBytes, to - at));
    if (chunk.bytes.length === 0 || chunk.from >= to) break;
    if (!response.write(chunk.bytes) && !(await isDrained(response, drainMs))) {
      response.destroy();
      return;
    }
    at = chunk.next;
  }
  response.end();
}
