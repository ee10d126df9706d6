import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { Option, type Command } from "commander";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { attendBatch } from "../agent-batch.ts";
import { activityNote } from "../agent-text.ts";
import { attend, attendSilently } from "../attend.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, jobExitCode } from "../exit-code.ts";
import type { Front } from "../front.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { outcomeText, jobLabel, shortId } from "../job-text.ts";
import type { Note } from "../notes-in-order.ts";
import { collect, readDuration, readWhole } from "../option-values.ts";
import { showWaiting } from "../show-waiting.ts";
import { waitForEnd } from "../wait-for-end.ts";

interface AgentOptions {
  readonly model?: string[];
  readonly fallback?: string[];
  readonly readOnly?: true;
  readonly file?: string[];
  readonly context?: string;
  readonly output?: string;
  readonly cwd?: string;
  readonly backend?: string;
  readonly schema?: string;
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly maxCost?: string;
  readonly timeout?: number;
  readonly name?: string;
  readonly detach?: true;
  readonly first?: true;
  readonly check?: true;
}

export const agent = defineCommand<AgentOptions, [words: string[]]>({
  describe,
  run: async (front, options, words) => {
    if (options.check === true) return check(front, options.model ?? [], options.json === true);
    const task = words.length === 1 && words[0] === "-" ? await readAll(process.stdin) : words.join(" ");
    if (task.trim() === "") throw new LonghaulError("invalid_input", 'Say what to do: longhaul agent "TASK".');
    const request = toRequest(task, options);
    const models = options.model ?? [];
    return models.length > 1
      ? runMany(front, { ...request, models }, options)
      : runOne(front, { ...request, ...defined({ model: models[0] }) }, options);
  },
});

function describe(command: Command): void {
  command
    .argument("[task...]", "what to do, or - for what is piped in here")
    .option(
      "--model <model>",
      "provider/model, a name, or a class; several run side by side (with --read-only)",
      collect,
    )
    .option("--fallback <model>", "to try when the model does not answer; may be repeated", collect)
    .option("--read-only", "change nothing: no writing, no commands")
    .option("--file <path>", "a file to begin with; may be repeated", collect)
    .option("--context <text>", "what it should know")
    .option("--output <text>", "what the answer should be")
    .option("--schema <file>", "JSON Schema of the result")
    .option("--cwd <folder>", "working folder (this one unless given)")
    .addOption(
      new Option("--backend <program>", "an installed program that does the work").choices([
        ...["claude-code", "codex", "opencode", "gemini"],
      ]),
    )
    .option("--max-steps <number>", "most replies of the model", readWhole(1, 10_000))
    .option("--max-tokens <number>", "most tokens; it ends with what it has by then", readWhole(1, 1_000_000_000))
    .option("--max-cost <dollars>", "most US dollars")
    .option("--timeout <time>", "most time it may run, such as 1h", readDuration)
    .option("--name <name>", "a name to find the job by")
    .option("--first", "with several models: end the others when one has succeeded")
    .option("-d, --detach", "print the id and do not wait")
    .option("--check", "test the configured models, and do nothing else")
    .addHelpText("after", "\nCtrl-C leaves the agent at work.");
}

function toRequest(task: string, options: AgentOptions): object {
  const cwd = resolve(options.cwd ?? "");
  const cost = options.maxCost === undefined ? undefined : Number(options.maxCost.replace(/^\$/, ""));
  if (cost !== undefined && !(cost > 0)) {
    throw new LonghaulError("invalid_input", `--max-cost must be US dollars such as 0.50, got "${options.maxCost}".`);
  }
  return {
    task,
    cwd,
    // Lets the call be made again when the server dies in the middle of it, without starting twice.
    idempotency_key: randomUUID(),
    ...defined({
      fallback: options.fallback,
      read_only: options.readOnly,
      files: options.file?.map((path) => relative(cwd, resolve(path))),
      context: options.context,
      output: options.output,
      output_schema: options.schema === undefined ? undefined : readSchema(options.schema),
      backend: options.backend,
      max_steps: options.maxSteps,
      max_tokens: options.maxTokens,
      max_cost_usd: cost,
      timeout_ms: options.timeout,
      name: options.name,
    }),
  };
}

function readSchema(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new LonghaulError("invalid_input", `--schema ${path} is not readable JSON: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** On a terminal what it says is shown as it comes; a pipe gets the answer and nothing else. */
async function runOne(
  front: Front,
  request: object,
  options: AgentOptions & { json?: true },
): Promise<number | undefined> {
  const { client, screen } = front;
  const job = await client.call<JobView>("run_agent", request);
  if (options.detach === true) return tellStarted(front, [job], options.json === true, job);
  if (options.json === true) return attendSilently(front, job);
  if (!screen.terminal.out.isTerminal) return answerOnly(front, job);
  const tell = (line: string): Note | undefined => activityNote(line, shortId(job.id));
  return attend(front, job, { isPty: false, aside: { stream: "activity", tell } });
}

async function answerOnly(front: Front, job: JobView): Promise<number> {
  const { client, screen } = front;
  const interrupt = listenForInterrupt();
  const stopShowing = showWaiting(front, [job.id], false);
  try {
    const ended = await waitForEnd(client, job.id, interrupt.signal);
    stopShowing();
    const result = ended.result as { output?: string; data?: unknown } | undefined;
    if (ended.state === "succeeded") {
      screen.print(result?.data === undefined ? (result?.output ?? "") : JSON.stringify(result.data, null, 2));
    } else screen.note(`${jobLabel(ended)} ${outcomeText(ended)}`);
    return jobExitCode(ended);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    screen.note(`The agent goes on. See it: longhaul logs -f ${shortId(job.id)}`);
    return exitCodes.interrupted;
  } finally {
    stopShowing();
    interrupt.stop();
  }
}

async function runMany(
  front: Front,
  request: object,
  options: AgentOptions & { json?: true },
): Promise<number | undefined> {
  const started = await front.client.call<{ batch: string; jobs: JobView[] }>("run_agents", request);
  if (options.detach === true) return tellStarted(front, started.jobs, options.json === true, started);
  return attendBatch(front, started, { isFirst: options.first === true, isJson: options.json === true });
}

function tellStarted({ screen }: Front, jobs: readonly JobView[], isJson: boolean, answer: unknown): undefined {
  if (isJson) screen.printJson(answer);
  else for (const { id } of jobs) screen.print(id);
  return undefined;
}

interface Checked {
  readonly models: readonly { model: string; classes: string[]; ok: boolean; ms: number; error?: string }[];
}

async function check({ client, screen }: Front, models: readonly string[], isJson: boolean): Promise<number> {
  const answer = await client.call<Checked>("agent_check", { models });
  if (isJson) screen.printJson(answer);
  else {
    for (const { model, classes, ok, ms, error = "" } of answer.models) {
      const mark = ok ? screen.style.green("✓") : screen.style.red("✗");
      const used = classes.length === 0 ? "" : screen.style.dim(` (${classes.join(", ")})`);
      screen.print(`${mark} ${model}${used}  ${ok ? `${ms} ms` : error}`);
    }
  }
  return answer.models.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}
