import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { AnswerOf } from "../../../operations/registry.ts";
import { formatAgo, formatDuration } from "./duration.ts";
import { isFinished, progressText, runningTime, shortId, stateText } from "./job-text.ts";
import type { Style } from "./style.ts";
import { escapeControls } from "../../../text/controls.ts";
import { padEnd } from "./text-width.ts";
import { countText } from "../../../text/count-text.ts";

const labelWidth = 10;
const longestResultLine = 100;
const maxResultLines = 20;

/** All there is to know about one job, a fact per line. */
export function describeJob(job: AnswerOf<"job_get">, lastLine: string, style: Style): string {
  const facts: (readonly [label: string, text: string | undefined])[] = [
    ["job", job.id],
    ["kind", job.kind],
    ["name", job.name],
    ["state", style.state(job.state, describeState(job))],
    ["error", job.error?.message],
    ["reason", job.reason],
    ["progress", progressText(job)],
    ...inputFacts(job.input),
    ["in", job.cwd ?? cwdOf(job.input)],
    ["batch", job.batch],
    ["schedule", job.schedule],
    ["tags", job.tags?.join(", ")],
    ["webhook", job.webhook?.url],
    ["notifies", job.notify && `${job.notify.to.join(", ")} (${job.notify.on.join(", ")})`],
    [
      "attempt",
      job.attempts > 1 || job.attempt > 1 ? `${job.attempt} of ${Math.max(job.attempt, job.attempts)}` : undefined,
    ],
    ["created", toTime(job.created_at)],
    ["started", toTime(job.started_at)],
    ["finished", toTime(job.finished_at)],
    ["starts", toTime(job.run_at)],
    ["kept until", job.expires_at === undefined ? undefined : localTime(job.expires_at)],
    ["silent", job.stalled_since === undefined ? undefined : `no sign of life since ${toTime(job.stalled_since)}`],
    ...liveFacts(job.live ?? {}),
    ["last line", lastLine],
    ...(job.questions ?? []).map(({ key, message }) => ["asks", `${message} (key ${key})`] as const),
    ["files", job.artifacts?.map(({ name, bytes }) => `${name} (${countText(bytes, "byte")})`).join(", ")],
    ["result", isPlainExit(job.result) ? undefined : resultText(job)],
  ];
  const lines = facts.flatMap(([label, text]) =>
    text === undefined || text === ""
      ? []
      : [
          `${style.dim(padEnd(label, labelWidth))}  ${label === "state" || label === "result" ? text : escapeControls(text)}`,
        ],
  );
  return [...lines, style.dim(padEnd("next", labelWidth)) + `  ${nextStep(job)}`].join("\n");
}

/** A short result on one line, a longer one as people write JSON. */
function resultText({ id, result }: AnswerOf<"job_get">): string {
  const line = JSON.stringify(result);
  if (line.length <= longestResultLine) return escapeControls(line);
  const lines = JSON.stringify(result, null, 2).split("\n");
  const rest = lines.splice(maxResultLines).length;
  if (rest > 0) lines.push(`… ${countText(rest, "more line")}: longhaul show ${shortId(id)} --json`);
  return lines.map((text) => escapeControls(text)).join(`\n${" ".repeat(labelWidth + 2)}`);
}

function describeState(job: JobView): string {
  const time = runningTime(job);
  return time === "" ? stateText(job) : `${stateText(job)} ${isFinished(job) ? "after" : "for"} ${time}`;
}

function inputFacts(input: Json): (readonly [string, string | undefined])[] {
  if (!isRecord(input)) return [];
  const { command, argv, env, ready, pty, shell, endpoint } = input;
  const variables = typeof env === "object" && env !== null ? Object.entries(env) : [];
  return [
    ...["action", "url", "query", "task"].map((label) => [label, textOf(input[label])] as const),
    ["endpoint", textOf(endpoint)],
    ["given", typeof endpoint === "string" ? JSON.stringify(input["input"]) : undefined],
    ["command", textOf(command)],
    ["program", Array.isArray(argv) ? argv.map((word) => JSON.stringify(word)).join(" ") : undefined],
    ["shell", textOf(shell)],
    [
      "with",
      variables
        .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
        .join(" "),
    ],
    ["ready", ready === undefined ? undefined : JSON.stringify(ready)],
    ["terminal", pty === true ? "of its own" : undefined],
  ];
}

/** Of a job that was made before its folder was kept. */
function cwdOf(input: Json): string | undefined {
  return isRecord(input) ? textOf(input["cwd"]) : undefined;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function liveFacts(live: Readonly<Record<string, Json>>): (readonly [string, string | undefined])[] {
  const { remote_id: remoteId, remote_status: remoteStatus, hint } = live;
  const { pid, processes, cpu_ms: cpuMs, memory_bytes: memory, ports, last_output_at: lastOutputAt } = live;
  const numbers = [
    typeof processes === "number" ? countText(processes, "process", "processes") : "",
    typeof cpuMs === "number" ? `${formatDuration(cpuMs)} of processor time` : "",
    typeof memory === "number" ? `${(memory / 1_000_000).toFixed(0)} MB` : "",
  ];
  return [
    [
      "remote",
      typeof remoteId === "string" ? `${remoteId} ${typeof remoteStatus === "string" ? remoteStatus : ""}` : undefined,
    ],
    ["queue", textOf(hint)],
    ["pid", typeof pid === "number" ? String(pid) : undefined],
    ["uses", numbers.filter((part) => part !== "").join(", ")],
    ["ports", Array.isArray(ports) ? ports.map(Number).join(", ") : undefined],
    ["output", typeof lastOutputAt === "number" ? `last ${formatAgo(Date.now() - lastOutputAt)}` : undefined],
    ["input", live["reads_input"] === true ? "it waits for input" : undefined],
  ];
}

function isPlainExit(result: Json | undefined): boolean {
  return result === undefined || (typeof result === "object" && result !== null && "exit_code" in result);
}

function nextStep(job: JobView): string {
  const id = shortId(job.id);
  if ((job.questions ?? []).length > 0) return `longhaul answer ${id} …`;
  if (job.live?.["reads_input"] === true) return `longhaul send ${id} TEXT`;
  if (job.state === "queued") return `longhaul wait ${id}   or   longhaul cancel ${id}`;
  if (!isFinished(job)) return `longhaul logs -f ${id}   or   longhaul cancel ${id}`;
  return job.state === "succeeded" ? `longhaul logs ${id}` : `longhaul logs ${id}   or   longhaul retry ${id}`;
}

function toTime(iso: string | undefined): string | undefined {
  if (iso === undefined) return undefined;
  const ageMs = Date.now() - Date.parse(iso);
  return `${localTime(iso)} (${ageMs >= 0 ? formatAgo(ageMs) : `in ${formatDuration(-ageMs)}`})`;
}

function localTime(iso: string): string {
  const at = new Date(iso);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}
