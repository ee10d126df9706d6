import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { z } from "zod";
import { defined } from "../../../job/defined.ts";
import type { Job } from "../../../job/job.ts";
import type { Json } from "../../../job/json.ts";
import { isHeld, isTerminal } from "../../../job/state.ts";
import type { questionSchema } from "../../../job/question.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { JobAccess } from "../job-tool.ts";
import { jobUri } from "../job-uri.ts";
import { duration, remainingMs, shorten, statusMessage } from "../status-message.ts";
import { fence } from "./clean-text.ts";
import { digestOutput } from "./output-digest.ts";

/** What every tool says of a job. A reply that is not the last says what to do next, and when. */
export const jobReplySchema = z.object({
  job_id: z.string(),
  status: z.string(),
  message: z.string(),
  name: z.string().optional(),
  exit_code: z.int().nullable().optional(),
  output: z.string().optional(),
  result: z.unknown().optional(),
  questions: z.array(z.unknown()).optional(),
  next: z.string().optional(),
  check_after_seconds: z.int().optional(),
});

export type JobReply = z.infer<typeof jobReplySchema>;

type AskedView = {
  readonly key: string;
  readonly message: string;
  readonly form?: z.infer<typeof questionSchema>["form"];
};

/** A job in few words. */
export function toReply(job: Job, now: number, asked: readonly AskedView[] = []): JobReply {
  const { state } = job;
  const failure = "failure" in state ? state.failure : undefined;
  const exitCode = state.status === "succeeded" && job.kind === "shell" ? 0 : failure?.details?.["exit_code"];
  const [first] = asked;
  return {
    job_id: job.id,
    status: state.status,
    message: first === undefined ? toMessage(job, now) : shorten(`asks: ${first.message}`, 300),
    ...defined({
      name: job.name,
      exit_code: typeof exitCode === "number" || exitCode === null ? exitCode : undefined,
      questions: asked.length === 0 ? undefined : [...asked],
    }),
    ...toHint(job, now, asked),
  };
}

/** The same for a job that an operation has shown already. */
export async function replyTo(
  view: Pick<JobView, "id" | "questions" | "reason">,
  access: JobAccess,
): Promise<JobReply> {
  const job = await access.engine.get(view.id, access.actor);
  const reply = toReply(job, Date.now(), view.questions);
  return view.reason !== undefined && job.state.status === "queued"
    ? { ...reply, message: shorten(`queued: ${view.reason}`, 300) }
    : reply;
}

/** A finished job as the result of the call that started it: what it wrote, what it returned, how it ended. */
export async function presentJob(job: Job, access: JobAccess): Promise<CallToolResult> {
  const reply = toReply(job, Date.now());
  const digest = hasAnswered(job) ? nothingWritten : await digestOutput(job, access);
  const result = await readResult(job, access);
  const links: ContentBlock[] = digest.isCut ? [link(job.id, "output")] : [];
  const shown = { ...reply, ...defined({ output: digest.size > 0 ? digest.text : undefined, result: result.value }) };
  const text = [
    toLine(reply),
    ...(digest.size > 0 ? [fence(digest.text, "Output")] : []),
    ...(result.text === undefined ? [] : [fence(result.text, "Result")]),
  ];
  return {
    content: [{ type: "text", text: text.join("\n") }, ...links, ...result.links],
    structuredContent: shown,
    ...(job.state.status === "succeeded" || !isTerminal(job.state) ? {} : { isError: true }),
  };
}

const nothingWritten = { text: "", size: 0, isCut: false };

/** What an agent wrote on its way is not needed beside its answer. */
function hasAnswered({ kind, state }: Job): boolean {
  return kind === "agent" && state.status === "succeeded";
}

/** One job as text and as data. */
export function toResult(reply: JobReply): CallToolResult {
  return { content: [{ type: "text", text: toText(reply) }], structuredContent: reply };
}

export function toText(reply: JobReply): string {
  const hint =
    reply.next === undefined ? [] : [`next: ${reply.next} · check again in ${reply.check_after_seconds ?? 5} s`];
  return [toLine(reply), ...hint].join("\n");
}

function toLine({ job_id: id, status, message, name }: JobReply): string {
  const told = message.startsWith(status) ? message : `${status}: ${message}`;
  return `job ${id}${name === undefined ? "" : ` (${name})`} ${told}`;
}

function toMessage(job: Job, now: number): string {
  const { state } = job;
  if (state.status !== "succeeded") return shorten(statusMessage(job, now), 300);
  const exit = job.kind === "shell" ? "exit code 0, " : "";
  return `${exit}took ${duration(state.finishedAt - state.startedAt)}${state.partial ? ", in part" : ""}`;
}

function toHint(job: Job, now: number, asked: readonly AskedView[]): Pick<JobReply, "next" | "check_after_seconds"> {
  const { state, id } = job;
  if (isTerminal(state)) return {};
  const [first] = asked;
  const next =
    first === undefined
      ? `job_wait ${JSON.stringify({ ids: [id] })}`
      : `job_send ${JSON.stringify({ id, key: first.key, answer: { action: "accept", content: {} } })}`;
  const leftMs = isHeld(state) ? remainingMs(state.progress, now - state.startedAt) : undefined;
  return {
    next,
    check_after_seconds: leftMs === undefined ? patience(now - job.createdAt) : Math.max(1, Math.round(leftMs / 1_250)),
  };
}

/** Seconds to leave a job alone: the longer it runs, the longer. */
function patience(ageMs: number): number {
  const steps = [
    [10_000, 5],
    [30_000, 10],
    [60_000, 15],
    [300_000, 30],
    [1_800_000, 60],
  ] as const;
  return steps.find(([before]) => ageMs < before)?.[1] ?? 120;
}

const longestResult = 4_000;

/** What a kind returned, if it fits; else a link to it. A command's exit code is told already. */
async function readResult(
  job: Job,
  { engine, actor }: JobAccess,
): Promise<{ value?: Json; text?: string; links: ContentBlock[] }> {
  if (job.state.status !== "succeeded" || job.kind === "shell") return { links: [] };
  const value = await engine.result(job.id, actor);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= longestResult) return { value, text, links: [] };
  const digest = `${text.slice(0, longestResult)}… [${text.length} characters; the whole is in ${jobUri(job.id, "result")}]`;
  return { text: digest, links: [link(job.id, "result")] };
}

function link(id: string, part: "output" | "result"): ContentBlock {
  const mimeType = part === "output" ? "text/plain" : "application/json";
  return { type: "resource_link", uri: jobUri(id, part), name: `${part} of job ${id}`, mimeType };
}
