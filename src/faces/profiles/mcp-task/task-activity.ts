import { isRecord } from "../../../job/is-record.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isTerminal } from "../../../job/state.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";

/** What a run has told of itself, for the status. */
export interface ActivityFacts {
  readonly messageCount: number;
  readonly requestCount: number;
  readonly recentEvents: string[];
  readonly toolCalls: string[];
  readonly lastActivity?: string;
  readonly errorCount: number;
  readonly lastError?: string;
  /** How long it has been silent, if it is held. */
  readonly silentMs?: number;
}

interface ToldEvent {
  readonly type: string;
  readonly at: string;
  readonly tool?: string;
  readonly error?: string;
  readonly pieces?: number;
}

const maxRecent = 5;
const maxToolCalls = 50;

export async function readActivity(job: Job, access: JobAccess): Promise<ActivityFacts> {
  const { engine, actor } = access;
  const [told, live, silentMs] = await Promise.all([
    readEvents(job, access),
    engine.inspect(job.id, actor),
    engine.silentMs(job.id, actor),
  ]);
  const events = [...startOf(job), ...told, ...endOf(job)];
  const shown = events.map(({ type, at }) => `${wordFor(type)} at ${at}`);
  const piecesAt = Array.isArray(live["pieces_at"]) ? live["pieces_at"] : [];
  const recent = [...shown, ...piecesAt.map((at) => `message_delta at ${toIso(at)}`)]
    .toSorted(byTime)
    .slice(-maxRecent);
  // Whatever comes after an error shows that it was got over.
  const lastPieceAt = Number(piecesAt.at(-1) ?? 0);
  const errors = told
    .slice(told.findLastIndex(({ type }) => type !== "retry") + 1)
    .filter(({ at }) => Date.parse(at) >= lastPieceAt);
  return {
    messageCount: events.length + told.reduce((sum, { pieces = 0 }) => sum + pieces, 0) + Number(live["pieces"] ?? 0),
    requestCount: told.filter(({ type }) => type === "step").length,
    recentEvents: recent,
    toolCalls: told
      .flatMap(({ type, tool }) => (type === "tool_start" ? [`Called: ${tool}`] : []))
      .slice(-maxToolCalls),
    ...(recent.length === 0 ? {} : { lastActivity: `Last event: ${recent.at(-1)}` }),
    errorCount: errors.length,
    lastError: errors.at(-1)?.error,
    silentMs,
  };
}

const readBytes = 1_000_000;

async function readEvents(job: Job, { engine, actor }: JobAccess): Promise<ToldEvent[]> {
  const { size = 0 } = (await engine.outputSizes(job.id, undefined, actor))["activity"] ?? {};
  const from = Math.max(0, size - readBytes);
  const { bytes } = await engine.readOutput(job.id, { stream: "activity", from, limit: readBytes }, actor);
  const lines = Buffer.from(bytes).toString().split("\n");
  return lines.flatMap((line) => {
    const event = tryParseJson(line);
    return isRecord(event) ? [event as unknown as ToldEvent] : [];
  });
}

function startOf({ state }: Job): ToldEvent[] {
  return "startedAt" in state && state.startedAt !== undefined
    ? [{ type: "task_start", at: toIso(state.startedAt) }]
    : [];
}

function endOf({ state }: Job): ToldEvent[] {
  if (!isTerminal(state) || state.status === "cancelled") return [];
  return [{ type: state.status === "succeeded" ? "task_complete" : "task_fatal_error", at: toIso(state.finishedAt) }];
}

/** What clients know under other names. */
const words: Readonly<Record<string, string>> = { step: "response_output", retry: "error" };

function wordFor(type: string): string {
  return words[type] ?? type;
}

function toIso(at: Json): string {
  return new Date(Number(at)).toISOString();
}

/** Times in this form are in order when their texts are. */
function byTime(one: string, other: string): number {
  const [first, second] = [timeOf(one), timeOf(other)];
  return first < second ? -1 : Number(first > second);
}

function timeOf(shown: string): string {
  return shown.slice(shown.lastIndexOf(" ") + 1);
}
