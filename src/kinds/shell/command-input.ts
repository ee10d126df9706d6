import { existsSync } from "node:fs";
import { LonghaulError } from "../../job/error.ts";
import { JobFailure } from "../../job/failure.ts";
import type { JobContext, SentInput } from "../../job/kind.ts";
import type { PatternPool } from "../../text/pattern-pool.ts";
import type { AttemptFiles } from "./attempt-files.ts";
import type { ShellInput } from "./contract.ts";
import { writeFrames, writeToPipe } from "./input-pipe.ts";
import { loadNote, saveNote } from "./main-process.ts";
import { checkAllowed, type ShellPolicy } from "./policy.ts";

/**
 * The input as this attempt has it. What was streamed to an earlier attempt is gone, and an attempt that got none of it, or only a part,
 * would not do what was asked.
 */
export async function inputOfAttempt(input: ShellInput, context: JobContext): Promise<ShellInput> {
  if (input.stream_stdin !== true || context.attempt === 1) return input;
  const note = await loadNote(context);
  if (note?.input === "ended") return { ...input, stream_stdin: undefined, stdin: "" };
  if (note?.input !== "streamed" || note.attempt === context.attempt) return input;
  throw new JobFailure(
    "input_gone",
    "What was piped into this job went to an earlier attempt and is gone: start it again.",
    {
      retryable: false,
    },
  );
}

/** Whether a further attempt would have the same input. */
export async function isInputRepeatable(input: ShellInput, context: JobContext): Promise<boolean> {
  return input.stream_stdin !== true || (await loadNote(context))?.input !== "streamed";
}

interface InputParts {
  readonly files: AttemptFiles;
  readonly policy: ShellPolicy;
  readonly patterns: PatternPool;
}

/** Passes on what callers send to the command of one attempt, one after the other, and answers how many bytes were taken. */
export function createInputSender(
  input: ShellInput,
  context: JobContext,
  { files, policy, patterns }: InputParts,
): (sent: SentInput) => Promise<number> {
  let last: Promise<unknown> = Promise.resolve();
  let noted: "streamed" | "ended" | undefined;
  const write = async (sent: SentInput): Promise<number> => {
    if (!existsSync(files.frames)) return writeOpenEnded(sent, input, files);
    const what =
      sent.bytes.length > 0 || (sent.offset ?? 0) > 0 ? "streamed" : sent.isEnd === true ? "ended" : undefined;
    // Before it is passed on: who runs it again must know.
    if (input.stream_stdin === true && what !== undefined && noted !== "streamed" && noted !== what) {
      await saveNote(context, { input: what });
      noted = what;
    }
    return writeFrames(files.frames, sent);
  };
  return async (sent) => {
    const hasRules = policy.allow.length + policy.deny.length > 0;
    if (hasRules && sent.bytes.length > 0) await checkAllowed(policy, Buffer.from(sent.bytes).toString(), patterns);
    if (input.stdin !== undefined) {
      throw new LonghaulError(
        "conflict",
        "The command's input was given when it was started, so no more can be sent.",
        {
          details: { input: "closed" },
        },
      );
    }
    const writing = last.then(() => write(sent));
    last = writing.catch(() => undefined);
    return writing;
  };
}

/** A pipe that nobody holds stays open for ever. */
async function writeOpenEnded(
  { bytes, sender, isEnd }: SentInput,
  { stream_stdin: isStream }: ShellInput,
  files: AttemptFiles,
): Promise<number> {
  if (sender !== undefined || isEnd === true) {
    const why =
      isStream === true ? "that needs Perl, which this machine lacks" : "it was not started with stream_stdin";
    const message = `The command's input stays open and counts no bytes, because ${why}.`;
    throw new LonghaulError("conflict", message, { details: { input: "open" } });
  }
  await writeToPipe(files.stdin, bytes);
  return bytes.length;
}
