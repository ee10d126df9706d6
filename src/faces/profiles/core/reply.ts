import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { Job } from "../../../job/job.ts";
import { isTerminal } from "../../../job/state.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { JobAccess } from "../../mcp/tools/job-tool.ts";
import { jobUri } from "../../mcp/resources/job-uri.ts";
import { exitText } from "../../mcp/tasks/status-message.ts";
import { fence } from "../../mcp/tools/clean-text.ts";
import { markSeen } from "../../mcp/tools/mark-seen.ts";
import { jobLine } from "./job-line.ts";
import { isReadingInput, nextStep, type OpenJob } from "./next-step.ts";
import { digestOutput, tailOutput } from "./output-digest.ts";
import { questionText } from "./question-text.ts";

/**
 * Tools answer with text alone. Most clients show a model the structured content instead of the text where there is any, and with
 * it go the line ends, the fence around what others wrote, and the notes.
 */
export function textResult(lines: readonly string[], others: readonly ContentBlock[] = []): CallToolResult {
  return { content: [{ type: "text", text: lines.join("\n") }, ...others] };
}

/** A finished job as the result of the call that started it: how it ended, what it wrote, what it returned. */
export async function presentJob(job: Job, access: JobAccess): Promise<CallToolResult> {
  const digest = hasAnswered(job) ? nothingWritten : await digestOutput(job, access);
  const result = await readResult(job, access);
  const lines = [
    jobLine(job, Date.now()),
    ...(digest.size > 0 ? [fence(digest.text, "Output")] : []),
    ...(result.text === undefined ? [] : [fence(result.text, "Result")]),
  ];
  const links = digest.isCut ? [link(job.id, "output")] : [];
  // A command that ran and says no has answered; some clients hand what is marked as an error to the model as quoted JSON.
  const isError = job.state.status !== "succeeded" && isTerminal(job.state) && exitText(job) === undefined;
  return { ...textResult(lines, [...nameFolder(job), ...links, ...result.links]), ...(isError ? { isError } : {}) };
}

/** A model takes it for granted that a command runs in its own folder. */
export function nameFolder({ cwd }: Job): ContentBlock[] {
  return cwd === undefined ? [] : [{ type: "text", text: `folder: ${JSON.stringify(cwd)}` }];
}

const nothingWritten = { text: "", size: 0, isCut: false };

/** What an agent wrote on its way is not needed beside its answer. */
function hasAnswered({ kind, state }: Job): boolean {
  return kind === "agent" && state.status === "succeeded";
}

type Viewed = Pick<JobView, "id" | "questions" | "reason" | "live">;

/** Jobs in few words, and the one call to make next. A single job is shown with what it wrote last, which would be asked for next. */
export async function replyTo(
  views: readonly Viewed[],
  access: JobAccess,
  notes: readonly string[] = [],
): Promise<CallToolResult> {
  const seen = await Promise.all(
    views.map(async (view) => ({ view, job: await access.engine.get(view.id, access.actor) })),
  );
  markSeen(
    seen.map(({ job }) => job),
    access,
  );
  const [only] = seen;
  if (seen.length === 1 && only !== undefined && isTerminal(only.job.state)) {
    // Looking at a job that failed is no failure.
    const { isError: _isError, ...shown } = await presentJob(only.job, access);
    return shown;
  }
  const now = Date.now();
  const open = seen.filter(({ job }) => !isTerminal(job.state));
  const next = nextStep(open, now);
  const shown = await Promise.all(seen.map((one) => showJob(one, access, seen.length === 1, now)));
  return textResult([...notes, ...shown.flat(), ...(next === undefined ? [] : [`next: ${next}`])]);
}

async function showJob(
  { job, view }: OpenJob & { view: Viewed },
  access: JobAccess,
  isAlone: boolean,
  now: number,
): Promise<string[]> {
  const line = jobLine(job, now, { reason: view.reason, isReadingInput: isReadingInput({ job, view }) });
  const asked = view.questions ?? [];
  if (asked.length > 0) return [line, questionText(asked)];
  const tail = isAlone && job.state.status === "running" ? await tailOutput(job, access) : "";
  return tail === "" ? [line] : [line, fence(tail, "Last output")];
}

const longestResult = 4_000;

/** What a kind returned, if it fits; else a link to it. A command's exit code is told already. */
async function readResult(job: Job, { engine, actor }: JobAccess): Promise<{ text?: string; links: ContentBlock[] }> {
  if (job.state.status !== "succeeded" || job.kind === "shell") return { links: [] };
  const value = await engine.result(job.id, actor);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= longestResult) return { text, links: [] };
  const digest = `${text.slice(0, longestResult)}… [${text.length} characters; the whole is in ${jobUri(job.id, "result")}]`;
  return { text: digest, links: [link(job.id, "result")] };
}

function link(id: string, part: "output" | "result"): ContentBlock {
  const mimeType = part === "output" ? "text/plain" : "application/json";
  return { type: "resource_link", uri: jobUri(id, part), name: `${part} of job ${id}`, mimeType };
}
