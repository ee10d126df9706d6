import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobFailure, messageOf } from "../../../job/failure.ts";
import { parseInput } from "../../../job/issue.ts";
import { PartialResult, type ChildEnd, type JobContext, type StopCause } from "../../../job/kind.ts";
import type { JobId } from "../../../job/id.ts";
import type { Json } from "../../../job/json.ts";
import { ByteLines } from "../../../text/byte-lines.ts";
import { createActivity, type Activity } from "../activity.ts";
import { modelsOf, type AgentResult } from "../contract.ts";
import type { ModelClient } from "../model/call-model.ts";
import { limitReached, serveRun, toResult } from "../run-result.ts";
import type { RunParts } from "../settings.ts";
import { createSummarizer } from "../summarize.ts";
import { toValidator } from "../tools/ending-tools.ts";
import type { Program, ProgramNews, ProgramRequest } from "./program.ts";
import { beginRun, loadState, takeNews, takeUsage, type ProgramState } from "./program-state.ts";

interface WorkParts extends RunParts {
  readonly program: Program;
  readonly state: ProgramState;
  readonly activity: Activity;
  /** The newest of what happened, for a summary. */
  readonly happened: string[];
}

const maxRuns = 3;

/** Lets an installed program do the work, as a command of its own: adopted after a restart, ended with this job. */
export async function runProgram(
  program: Program,
  parts: RunParts,
  client: ModelClient,
): Promise<AgentResult | PartialResult<AgentResult>> {
  const { input, context, settings } = parts;
  const state = await loadState(parts);
  const activity = createActivity(context, settings.redactor);
  const work = { ...parts, program, state, activity, happened: [] as string[] };
  const model = [input.backend, ...modelsOf(input).slice(0, 1)].join("/");
  const summarize = createSummarizer({
    ...work,
    client,
    own: () => undefined,
    happened: () => work.happened,
    spend: async (usage, cost) => {
      takeUsage(state, usage, cost);
      await context.checkpoint.save(state as unknown as Json);
    },
  });
  serveRun(context, state.tally, { model: () => model, redactor: settings.redactor, summarize, activity });
  try {
    for (;;) {
      const child = await start(work);
      const end = await follow(child, work);
      await settings.redactor.learn();
      // The machine was restarted under it: it goes on in its own conversation.
      if (end.failure?.code === "lost" && state.run < maxRuns) beginRun(state, context.attempt);
      else return await conclude(child, end, model, work);
    }
  } finally {
    const { type } = (context.signal.reason ?? {}) as Partial<StopCause>;
    if (type !== "stopping" && type !== "lease_lost")
      await rm(openRulesFolder(context), { recursive: true, force: true });
  }
}

/** Where a program that must not reach the server's folder can read; the same after a restart. */
function openRulesFolder({ id, attempt }: JobContext): string {
  return join(tmpdir(), `longhaul-rules-${id}-${attempt}`);
}

async function start({ program, state, input, context, files }: WorkParts): Promise<JobId> {
  const rulesFile = join(openRulesFolder(context), "read-only-rules.toml");
  const readOnly = input.read_only === true;
  if (readOnly && program.readOnlyRules !== undefined) {
    await mkdir(openRulesFolder(context), { recursive: true, mode: 0o755 });
    await writeFile(rulesFile, program.readOnlyRules, { mode: 0o644 });
  }
  // Before it is started: whoever takes over must ask for the very same command.
  await context.checkpoint.save(state as unknown as Json);
  const session = state.resuming ?? undefined;
  const request: ProgramRequest = {
    model: modelsOf(input)[0],
    readOnly,
    maxSteps: input.max_steps,
    maxCostUsd: input.max_cost_usd,
    session,
    rulesFile,
  };
  return context.spawn({
    kind: "shell",
    key: `program ${state.run}`,
    input: {
      argv: [program.command, ...program.args(request)],
      env: program.env?.(request) ?? {},
      cwd: files.root,
      stdin: session === undefined ? state.prompt : "You were interrupted. Go on with the task, and finish it.",
    },
  });
}

const longestLine = 4_000_000;
const maxHappened = 20;

/** Takes what the program tells until it has ended, or has reached a limit and is ended. */
async function follow(child: JobId, work: WorkParts): Promise<ChildEnd> {
  const { program, state, input, context, activity, happened } = work;
  const lines = new ByteLines(longestLine);
  let { from } = state;
  let isOver = false;
  const take = ({ text }: { text: string }): void => {
    const news = readLine(program, text);
    const { isNewStep, limit } = takeNews(state, news, () => limitReached(state.tally, input));
    isOver ||= limit !== undefined;
    if (isNewStep) activity.event("step", { step: state.tally.steps });
    tell(news, work);
    happened.push(...toLines(news));
    happened.splice(0, happened.length - maxHappened);
  };
  const end = await context.childEnd(child, async () => {
    for (;;) {
      const { bytes, next } = await context.childOutput(child, "stdout", from);
      if (bytes.length === 0) break;
      lines.push(bytes).forEach(take);
      from = next;
    }
    const taken = from - lines.restBytes;
    if (taken !== state.from) {
      state.from = taken;
      await context.checkpoint.save(state as unknown as Json);
    }
    return isOver ? "end" : undefined;
  });
  lines.rest().forEach(take);
  activity.endText();
  return end;
}

/** What is no JSON, or JSON of another shape, is passed over: programs print other things too. */
function readLine(program: Program, line: string): ProgramNews {
  const begin = line.indexOf("{");
  if (begin < 0) return {};
  try {
    return program.read(JSON.parse(line.slice(begin)) as Json);
  } catch {
    return {};
  }
}

function tell({ text, piece, tool }: ProgramNews, { activity, program, state }: WorkParts): void {
  if (piece !== undefined) {
    activity.piece();
    activity.text(piece);
  }
  if (text !== undefined) activity.text(text);
  if (text !== undefined || tool !== undefined) activity.endText();
  if (tool !== undefined) activity.event("tool_start", { tool: tool.name, arguments: tool.brief });
  activity.progress(tool === undefined ? program.command : `${tool.name} ${tool.brief}`, state.tally);
}

function toLines({ text, tool }: ProgramNews): string[] {
  return [
    ...(text === undefined ? [] : [`It said: ${text.slice(0, 300)}`]),
    ...(tool === undefined ? [] : [`It called ${tool.name} ${tool.brief.slice(0, 300)}`]),
  ];
}

async function conclude(
  child: JobId,
  end: ChildEnd,
  model: string,
  { program, state, input, context, settings, activity }: WorkParts,
): Promise<AgentResult | PartialResult<AgentResult>> {
  const { tally, stoppedBy, problem } = state;
  const { redactor } = settings;
  activity.end(model, tally);
  const answer = state.answer ?? tally.lastText;
  if (end.status === "succeeded" && problem === null && stoppedBy === null && answer !== "") {
    const data = input.output_schema === undefined ? undefined : readData(answer, input.output_schema);
    return toResult({ ...tally, lastText: answer }, { model, redactor }, { data });
  }
  if (stoppedBy !== null) return new PartialResult(toResult(tally, { model, redactor }, { stopped_by: stoppedBy }));
  // A conversation that cannot be gone on with is not tried again.
  if (state.resuming !== null && state.from === 0) {
    await context.checkpoint.save({ ...state, session: null } as unknown as Json);
  }
  const { bytes } = await context.childOutput(child, "stderr", -2_000);
  const said = problem ?? (Buffer.from(bytes).toString().trim() || (end.failure?.message ?? "It said nothing."));
  const message = `${program.command} did not finish the task: ${said}`;
  throw new JobFailure("program_failed", message, { details: { child } });
}

function readData(answer: string, schema: Record<string, Json>): Json {
  try {
    // Models like to put JSON into a fence.
    const text = answer.replace(/^\s*```(?:json)?\n|\n```\s*$/g, "");
    return parseInput(toValidator(schema), JSON.parse(text), "The result") as Json;
  } catch (error) {
    throw new JobFailure("no_result", `The answer does not fit the schema: ${messageOf(error)}`, { cause: error });
  }
}
