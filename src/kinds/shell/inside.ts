import { LonghaulError } from "../../job/error.ts";
import type { InsideHandlers, JobContext } from "../../job/kind.ts";
import type { Answer, Question } from "../../job/question.ts";
import type { Redactor } from "../../text/redact.ts";

/** Each waits for a person: more than this are a loop. */
const maxOpenQuestions = 20;

interface OpenQuestion {
  readonly stored: Promise<unknown>;
  readonly answer: Promise<Answer>;
}

/** What a command may do to its own job. Secrets that the server knows are hidden in what it says. */
export function createInside(context: JobContext, redactor: Redactor): InsideHandlers {
  const open = new Map<string, OpenQuestion>();
  const begin = (question: Question, key: string): OpenQuestion => {
    if (open.size >= maxOpenQuestions) {
      throw new LonghaulError(
        "conflict",
        `The job has ${maxOpenQuestions} open questions: let some be answered first.`,
      );
    }
    const asked = ask({ ...question, message: redactor.text(question.message) }, key, context);
    open.set(key, asked);
    const close = (): void => void open.delete(key);
    asked.answer.then(close, close);
    return asked;
  };
  return {
    // The phase is not the command's to say: a service that was found ready stays so.
    progress: ({ percent, counts, message }) =>
      context.progress(({ phase }) => ({
        phase,
        percent,
        counts,
        message: message === undefined ? undefined : redactor.text(message),
      })),
    ask: async (question, key, { ms, signal }) => {
      const { stored, answer } = open.get(key) ?? begin(question, key);
      await stored;
      return within(answer, ms, signal);
    },
    saveArtifact: (name, part) => context.artifacts.savePart(name, part),
  };
}

/** Goes on when whoever asked has gone: they may come back for the answer. */
function ask(question: Question, key: string, context: JobContext): OpenQuestion {
  let onAsked: (() => void) | undefined;
  const stored = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const answer = context
    .ask(question, key, () => onAsked?.())
    .catch((thrown: unknown) => {
      if (!context.signal.aborted) throw thrown;
      throw new LonghaulError("stopped", "The command is being stopped, or its server is.");
    });
  return { stored: Promise.race([stored, answer]), answer };
}

function within(answer: Promise<Answer>, ms: number, signal: AbortSignal | undefined): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(undefined);
    const timer = setTimeout(giveUp, ms);
    signal?.addEventListener("abort", giveUp, { once: true });
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      end();
    };
    answer.then(
      (given) => settle(() => resolve(given)),
      (error: Error) => settle(() => reject(error)),
    );
  });
}
