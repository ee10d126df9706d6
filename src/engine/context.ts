import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import type { JobId } from "../job/id.ts";
import { isConfined } from "../job/job.ts";
import { parseInput } from "../job/issue.ts";
import type { Json } from "../job/json.ts";
import type { ChildRequest, JobContext } from "../job/kind.ts";
import type { OutputFile } from "../job/output.ts";
import { questionSchema, type Answer, type Question } from "../job/question.ts";
import type { Store } from "../store/store.ts";
import { createChildCalls } from "./children.ts";
import type { AttemptCalls } from "./calls/attempt-calls.ts";
import type { Feed } from "./feed.ts";
import { note, type HeldAttempt } from "./attempt.ts";
import { createAttemptOutput } from "./output.ts";
import { createProgressReporter } from "./progress.ts";
import type { Settings } from "./settings.ts";

interface ContextParts {
  readonly store: Store;
  readonly feed: Feed;
  readonly settings: Settings;
  readonly spawn: (child: ChildRequest) => Promise<JobId>;
  /** Reach attempts, on whatever engine they run. */
  readonly calls: () => AttemptCalls;
  readonly issueToken?: (id: JobId, attempt: number) => string;
}

export interface AttemptContext {
  readonly context: JobContext;
  /** Hands on what is still held back: called once, before the attempt is settled. */
  readonly flush: () => void;
}

const longestLogMessage = 8_000;
const maxLogMessages = 5_000;

/** What one attempt sees of the engine. Writes are handed to the store in order; the settlement comes after them. */
export function createContext(run: HeldAttempt, parts: ContextParts): AttemptContext {
  const { store, settings } = parts;
  const { clock } = settings;
  const { attempt, interruptions } = run.job.state;
  const progress = createProgressReporter(run, store, clock);
  const output = createAttemptOutput(run, store.output, clock);
  let logged = 0;
  let asked = 0;

  const context: JobContext = {
    id: run.id,
    owner: run.job.owner,
    cwd: run.job.cwd,
    client: run.client,
    isConfined: isConfined(run.job),
    attempt,
    machine: settings.machine,
    isInterrupted: interruptions > 0,
    limits: run.job.limits,
    ...defined({ token: parts.issueToken?.(run.id, attempt) }),
    get signal() {
      return run.signal;
    },
    now: clock.now,
    progress: progress.report,
    log: (message, level = "info") => {
      run.touch();
      if (++logged > maxLogMessages) return;
      const text =
        logged === maxLogMessages ? "Further messages of this attempt are not kept; write output instead." : message;
      note(run, { type: "message-logged", level, message: text.slice(0, longestLogMessage) }, parts);
    },
    touch: () => run.touch(),
    output: (stream = "stdout") => output.stream(stream),
    outputFile: (stream, options) => watched(run, store.output.file({ id: run.id, attempt, stream }, options)),
    folder: () => store.output.folder(run.id, attempt),
    pieces: {
      load: (name) => store.output.loadPiece({ id: run.id, attempt, name }),
      save: (name, content) => {
        run.touch();
        return store.output.savePiece({ id: run.id, attempt, name }, content);
      },
    },
    artifacts: {
      save: (name, content) => {
        run.touch();
        return store.output.saveArtifact(run.id, name, content);
      },
      savePart: (name, part) => {
        run.touch();
        return store.output.saveArtifactPart(run.id, name, part);
      },
      list: () => store.output.artifacts(run.id),
      read: async (name) => (await store.output.readArtifact(run.id, name, 0, Infinity)).content,
    },
    serve: (handlers) => {
      run.handlers = handlers;
    },
    ask: (question, key = `a${attempt}q${++asked}`, onAsked) => ask(run, parts, { key, question, onAsked }),
    checkpoint: {
      load: async () => parseCheckpoint(await store.loadCheckpoint(run.id)),
      save: async (value) => {
        run.touch();
        await requireLease(store.saveCheckpoint(run.lease, JSON.stringify(value)));
      },
    },
    spawn: parts.spawn,
    ...createChildCalls(run, { ...parts, clock }),
  };
  return {
    context,
    flush: () => {
      progress.flush();
      output.close();
    },
  };
}

/** Growth of the file counts as a sign of life. */
function watched(run: HeldAttempt, file: OutputFile): OutputFile {
  let size = 0;
  return {
    ...file,
    grown: async (options) => {
      const measured = await file.grown(options);
      if (measured.size !== size) run.touch();
      size = measured.size;
      return measured;
    },
  };
}

function parseCheckpoint(text: string | undefined): Json | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Json);
}

interface Asking {
  readonly key: string;
  readonly question: Question;
  readonly onAsked: (() => void) | undefined;
}

async function ask(run: HeldAttempt, parts: ContextParts, { key, question: wanted, onAsked }: Asking): Promise<Answer> {
  const question = parseInput(questionSchema, wanted, "The question");
  return awaitAnswer(run, parts, key, async () => {
    const asked = await parts.store.ask(run.lease, { key, question, at: parts.settings.clock.now() });
    if (asked === undefined) throw leaseLost();
    onAsked?.();
    return asked.answer;
  });
}

/**
 * An adopted attempt waits on for answers to what it asked before its engine went. Whoever asked outside may still have to find the new
 * engine; meanwhile it is not to count as idle.
 */
export function awaitOpenQuestions(run: HeldAttempt, parts: Pick<ContextParts, "store" | "feed">): void {
  if (run.job.state.status !== "waiting") return;
  for (const key of run.job.state.openQuestions) {
    awaitAnswer(run, parts, key, async () => undefined).catch(() => undefined);
  }
}

async function awaitAnswer(
  run: HeldAttempt,
  { store, feed }: Pick<ContextParts, "store" | "feed">,
  key: string,
  begin: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const changes = feed.changes([run.id], run.signal);
  run.questionOpened();
  try {
    let answer = await begin();
    while (answer === undefined) {
      if ((await changes.next()) === "aborted") throw run.signal.reason ?? leaseLost();
      if (run.isOver) throw leaseLost();
      answer = (await store.questions(run.id)).find((known) => known.key === key)?.answer;
    }
    return answer;
  } finally {
    run.questionClosed();
    changes.close();
  }
}

async function requireLease(write: Promise<boolean>): Promise<void> {
  if (!(await write)) throw leaseLost();
}

export function leaseLost(): LonghaulError {
  return new LonghaulError(
    "stopped",
    "This attempt has lost its lease: another worker has the job now, or it has ended.",
  );
}
