import type { Json } from "../../job/json.ts";
import type { JobView } from "../../operations/job-view.ts";
import type { JobAnswer } from "./answers.ts";
import { formatAgo, formatDuration } from "./duration.ts";
import { isFinished, progressText, runningTime, shortId, stateText } from "./job-text.ts";
import type { Style } from "./style.ts";
import { escapeControls, padEnd } from "./text-width.ts";

const labelWidth = 10;

/** All there is to know about one job, a fact per line. */
export function describeJob(job: JobAnswer, lastLine: string, style: Style): string {
  const facts: (readonly [label: string, text: string | undefined])[] = [
    ["job", job.id],
    ["name", job.name],
    ["state", style.state(job.state, describeState(job))],
    ["error", job.error?.message],
    ["reason", job.reason],
    ["progress", progressText(job)],
    ...inputFacts(job.input),
    ["batch", job.batch],
    ["tags", job.tags?.join(", ")],
    ["webhook", job.webhook?.url],
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
    ["result", isPlainExit(job.result) ? undefined : JSON.stringify(job.result)],
  ];
  const lines = facts.flatMap(([label, text]) =>
    text === undefined || text === ""
      ? []
      : [`${style.dim(padEnd(label, labelWidth))}  ${label === "state" ? text : escapeControls(text)}`],
  );
  return [...lines, style.dim(padEnd("next", labelWidth)) + `  ${nextStep(job)}`].join("\n");
}

function describeState(job: JobView): string {
  const time = runningTime(job);
  return time === "" ? stateText(job) : `${stateText(job)} ${isFinished(job) ? "after" : "for"} ${time}`;
}

function inputFacts(input: Json): (readonly [string, string | undefined])[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const { command, argv, cwd, env, ready, pty, shell, endpoint, task } = input;
  const variables = typeof env === "object" && env !== null ? Object.entries(env) : [];
  return [
    ["endpoint", typeof endpoint === "string" ? endpoint : undefined],
    ["given", typeof endpoint === "string" ? JSON.stringify(input["input"]) : undefined],
    ["task", typeof task === "string" ? task : undefined],
    ["command", typeof command === "string" ? command : undefined],
    ["program", Array.isArray(argv) ? argv.map((word) => JSON.stringify(word)).join(" ") : undefined],
    ["shell", typeof shell === "string" ? shell : undefined],
    ["in", typeof cwd === "string" ? cwd : undefined],
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

function liveFacts(live: Readonly<Record<string, Json>>): (readonly [string, string | undefined])[] {
  const { remote_id: remoteId, remote_status: remoteStatus, hint } = live;
  const { pid, processes, cpu_ms: cpuMs, memory_bytes: memory, ports, last_output_at: lastOutputAt } = live;
  const numbers = [
    typeof processes === "number" ? `${processes} ${processes === 1 ? "process" : "processes"}` : "",
    typeof cpuMs === "number" ? `${formatDuration(cpuMs)} of processor time` : "",
    typeof memory === "number" ? `${(memory / 1_000_000).toFixed(0)} MB` : "",
  ];
  return [
    [
      "remote",
      typeof remoteId === "string" ? `${remoteId} ${typeof remoteStatus === "string" ? remoteStatus : ""}` : undefined,
    ],
    ["queue", typeof hint === "string" ? hint : undefined],
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
