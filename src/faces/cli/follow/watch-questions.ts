import { setTimeout as delay } from "node:timers/promises";
import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { CliContext } from "../cli-context.ts";
import { isFinished, shortId } from "../show/job-text.ts";
import { askHere, escapeLines } from "./ask-here.ts";
import type { TerminalWriter } from "./terminal-writer.ts";

type Asked = NonNullable<JobView["questions"]>[number];

interface WatchParts {
  readonly cli: CliContext;
  readonly id: string;
  readonly writer: TerminalWriter;
  readonly signal: AbortSignal;
}

/** Most commands ask nothing, and many are over by then. */
const firstLookMs = 300;
const sliceMs = 60_000;
const lookMs = 1_000;

/**
 * While a job is followed, has its questions answered by whoever is at the terminal, or says how they can be, once for each. What goes wrong
 * ends it quietly: they can be answered from elsewhere.
 */
export async function watchQuestions(parts: WatchParts): Promise<void> {
  const { cli, id, signal } = parts;
  const left = new Set<string>();
  await delay(firstLookMs, undefined, { signal });
  for (;;) {
    const { jobs } = await cli.client.call("job_wait", { ids: [id], until: "question", timeout_ms: sliceMs }, signal);
    const [job] = jobs;
    if (job === undefined || isFinished(job)) return;
    const asked = job.questions?.find(({ key }) => !left.has(key));
    if (asked === undefined) await delay(lookMs, undefined, { signal });
    else if (!(await settle(asked, parts))) left.add(asked.key);
  }
}

/** Whether there is nothing left to say about the question. */
async function settle(asked: Asked, { cli, id, writer, signal }: WatchParts): Promise<boolean> {
  const isHere = process.stdin.isTTY && cli.screen.terminal.err.isTerminal;
  const content = isHere ? await askWhileOpen(asked, { cli, id, writer, signal }) : undefined;
  if (content === undefined) {
    if (!signal.aborted && (await isOpen(asked, cli, id, signal))) writer.note(howToAnswer(asked, id));
    return false;
  }
  try {
    await cli.client.call("job_answer", { id, key: asked.key, answer: { action: "accept", content } }, signal);
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    // An answer that does not fit is asked for again; one that came too late is not needed.
    writer.note(error.message);
  }
  return true;
}

/** Stops asking when the question is answered from elsewhere. */
async function askWhileOpen(
  asked: Asked,
  { cli, id, writer, signal }: WatchParts,
): Promise<Awaited<ReturnType<typeof askHere>>> {
  const controller = new AbortController();
  const isOver = AbortSignal.any([signal, controller.signal]);
  const look = async (): Promise<void> => {
    while (await isOpen(asked, cli, id, isOver)) await delay(lookMs, undefined, { signal: isOver });
    writer.note("It has been answered.");
    controller.abort();
  };
  const release = writer.hold();
  look().catch(() => undefined);
  try {
    return await askHere(asked, isOver);
  } finally {
    controller.abort();
    release();
  }
}

async function isOpen({ key }: Asked, { client }: CliContext, id: string, signal: AbortSignal): Promise<boolean> {
  const { questions = [] } = await client.call("job_get", { id }, signal);
  return questions.some((question) => question.key === key);
}

function howToAnswer({ message, key, form }: Asked, id: string): string {
  const fields = Object.keys(form?.properties ?? {}).map((name) => ` ${escapeLines(name)}=…`);
  const how = fields.length === 0 ? " --text …" : ` ${key}${fields.join("")}`;
  return `It asks: ${escapeLines(message)}\nAnswer it: longhaul answer ${shortId(id)}${how}`;
}
