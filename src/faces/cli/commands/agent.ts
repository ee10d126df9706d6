import type { AnswerOf, InputOf } from "../../../operations/registry.ts";
import { Option, type Command } from "commander";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { providerVariables } from "../../../config/agent.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import { escapeControls } from "../../../text/controls.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { followJob } from "../follow/follow-job.ts";
import type { Note } from "../follow/interleaved-notes.ts";
import { markSeen } from "../follow/mark-seen.ts";
import { showWaiting } from "../follow/show-waiting.ts";
import { untilInterrupted } from "../follow/until-interrupted.ts";
import { addNotifyOptions, toNotifyRequest, type NotifyOptions } from "../options/notify-options.ts";
import { collect, readDuration, readWhole } from "../options/option-values.ts";
import { activityNote, totalsText } from "../show/agent-text.ts";
import { shortId } from "../show/job-text.ts";

type AgentRequest = Omit<InputOf<"run_agent">, "model">;

interface AgentOptions extends NotifyOptions {
  readonly model?: string[];
  readonly fallback?: string[];
  readonly readOnly?: true;
  readonly ask?: InputOf<"run_agent">["ask"];
  readonly file?: string[];
  readonly context?: string;
  readonly output?: string;
  readonly cwd?: string;
  readonly backend?: InputOf<"run_agent">["backend"];
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
  run: async (cli, options, words) => {
    if (options.check === true) return check(cli, options.model ?? [], options.json === true).catch(nameFlags);
    const task = words.length === 1 && words[0] === "-" ? await readAll(process.stdin) : words.join(" ");
    if (task.trim() === "") throw new LonghaulError("invalid_input", 'Say what to do: longhaul agent "TASK".');
    const request = toRequest(task, options);
    const models = options.model ?? [];
    const running =
      models.length > 1
        ? runMany(cli, { ...request, models }, options)
        : runOne(cli, { ...request, model: models[0] }, options);
    return running.catch(nameFlags);
  },
});

/** Without a model there is something to set or to give, and nothing wrong with the server. */
function nameFlags(error: unknown): never {
  if (!(error instanceof LonghaulError) || error.details["lacks"] !== "model") throw error;
  throw new LonghaulError(
    "invalid_input",
    `No model can be called: set one of ${providerVariables(() => true).join(", ")}, and choose with --model PROVIDER/MODEL; or let an installed program do it: --backend ${backends.join("|")}.`,
    { cause: error },
  );
}

const backends = ["claude-code", "codex", "opencode", "gemini"] as const;

function describe(command: Command): void {
  command
    .argument("[task...]", "what to do, or - for what is piped in here")
    .option(
      "--model <model>",
      "provider/model, a name, or a class; several run side by side (with --read-only)",
      collect,
    )
    .option("--fallback <model>", "a model to try when the first does not answer; may be repeated", collect)
    .option("--read-only", "change nothing: no writing, no commands")
    .addOption(
      new Option("--ask <what>", "ask before files are changed, commands are run, or both and more").choices([
        "writes",
        "commands",
        "all",
      ]),
    )
    .option("--file <path>", "a file to start with; may be repeated", collect)
    .option("--context <text>", "what it should know")
    .option("--output <text>", "what the answer should be")
    .option("--schema <file>", "JSON Schema of the result")
    .option("--cwd <folder>", "working folder (this one unless given)")
    .addOption(new Option("--backend <program>", "an installed program that does the work").choices(backends))
    .option("--max-steps <number>", "maximum number of model replies", readWhole(1, 10_000))
    .option(
      "--max-tokens <number>",
      "maximum number of tokens; it then ends with what it has",
      readWhole(1, 1_000_000_000),
    )
    .option("--max-cost <dollars>", "maximum cost in US dollars")
    .option("--timeout <time>", "maximum running time, such as 1h", readDuration)
    .option("--name <name>", "a name to find the job by")
    .option("--first", "with several models: end the others when one has succeeded")
    .option("-d, --detach", "print the id and do not wait")
    .option("--check", "test the configured models, and do nothing else")
    .addHelpText("after", "\nCtrl-C leaves the agent running.");
  addNotifyOptions(command);
}

function toRequest(task: string, options: AgentOptions): AgentRequest {
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
    fallback: options.fallback,
    read_only: options.readOnly,
    ask: options.ask,
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
    ...toNotifyRequest(options),
  };
}

function readSchema(path: string): AgentRequest["output_schema"] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as AgentRequest["output_schema"];
  } catch (error) {
    throw new LonghaulError("invalid_input", `--schema ${path} is not readable JSON: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** On a terminal what it says is shown as it comes; a pipe gets the answer and nothing else. */
async function runOne(
  cli: CliContext,
  request: InputOf<"run_agent">,
  { detach, json }: AgentOptions & { json?: true },
): Promise<number> {
  const { client, screen } = cli;
  const job = await client.callWithContext("run_agent", request);
  const tell = (line: string): Note | undefined => activityNote(line, shortId(job.id));
  return screen.terminal.out.isTerminal
    ? followJob(cli, job, { detach, json, output: { aside: { stream: "activity", tell } } })
    : followJob(cli, job, { detach, json, onSuccess: ({ result }) => printAnswer(screen, result) });
}

function printAnswer(screen: CliContext["screen"], result: unknown): void {
  const { output, data } = (result ?? {}) as { output?: string; data?: unknown };
  screen.print(data === undefined ? (output ?? "") : JSON.stringify(data, null, 2));
}

async function runMany(
  cli: CliContext,
  request: InputOf<"run_agents">,
  { detach, first, json }: AgentOptions & { json?: true },
): Promise<number> {
  const { screen } = cli;
  const started = await cli.client.callWithContext("run_agents", request);
  if (detach !== true) return followBatch(cli, started, { isFirst: first === true, isJson: json === true });
  if (json === true) screen.printJson(started);
  else for (const { id } of started.jobs) screen.print(id);
  return exitCodes.done;
}

async function check({ client, screen }: CliContext, models: string[], isJson: boolean): Promise<number> {
  const answer = await client.callWithContext("agent_check", { models });
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

const sliceMs = 60_000;

/** Waits for a batch of agents, or for the first that succeeds and then ends the others; compares what they said. */
function followBatch(
  cli: CliContext,
  { batch, jobs }: AnswerOf<"run_agents">,
  options: { isFirst: boolean; isJson: boolean },
): Promise<number> {
  const { client, screen } = cli;
  const ids = jobs.map(({ id }) => id);
  const stopShowing = showWaiting(cli, ids, options.isJson);
  const waitForBatch = async (signal: AbortSignal): Promise<void> => {
    const wanted = { ids, for: options.isFirst ? "success" : "all", timeout_ms: sliceMs } as const;
    while (!(await client.call("job_wait", wanted, signal)).reached);
    if (!options.isFirst) return;
    await client.call("job_cancel", { ids, reason: "another agent finished first" });
    await client.call("job_wait", { ids, timeout_ms: sliceMs }, signal);
  };
  return untilInterrupted(
    async (signal) => {
      await waitForBatch(signal).finally(stopShowing);
      const digest = await client.call("agent_digest", { batch });
      if (options.isJson) screen.printJson(digest);
      else for (const row of digest.jobs) tellRow(cli, row);
      await markSeen(cli, digest.jobs);
      return digest.jobs.some(({ state }) => state === "succeeded") ? exitCodes.done : exitCodes.failed;
    },
    () => screen.note(`The agents go on. See them: longhaul ps --batch ${batch}`),
  );
}

function tellRow({ screen }: CliContext, row: AnswerOf<"agent_digest">["jobs"][number]): void {
  const { style } = screen;
  screen.print(`${style.bold(shortId(row.id))}  ${style.state(row.state)}  ${style.dim(totalsText(row))}`);
  for (const line of (row.answer ?? "").split("\n")) screen.print(`  ${escapeControls(line)}`);
}
