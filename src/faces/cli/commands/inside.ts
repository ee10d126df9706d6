import { randomBytes } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { artifactBounds } from "../../../job/artifact.ts";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import { messageOf } from "../../../job/failure.ts";
import type { Json } from "../../../job/json.ts";
import type { Answer, Question } from "../../../job/question.ts";
import type { AnswerOf, InputOf } from "../../../operations/registry.ts";
import type { CliContext } from "../cli-context.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { readForm, type FormOptions } from "../options/ask-form.ts";
import { collect, readDuration } from "../options/option-values.ts";
import { connectInside, type InsideClient } from "../server/inside-client.ts";
import { shortId } from "../show/job-text.ts";

export const progress = defineCommand<object, [words: string[]]>({
  describe: (command) => {
    command.argument("<words...>", "how far it is, such as 40, 40% or 3/12, then what it does; either may be left out");
  },
  run: async (cli, { json }, words) => {
    const receipt = await connectInside(cli, "progress").call("attempt_progress", readProgress(words));
    if (json === true) cli.screen.printJson(receipt);
  },
});

function readProgress([first = "", ...rest]: readonly string[]): InputOf<"attempt_progress"> {
  const share = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(first);
  const percent = /^(\d+(?:\.\d+)?)%?$/.exec(first);
  const message = (share ?? percent) === null ? [first, ...rest].join(" ") : rest.join(" ");
  const said = defined({ message: message === "" ? undefined : message });
  if (share !== null) return { done: Number(share[1]), total: Number(share[2]), ...said };
  return percent === null ? said : { percent: Number(percent[1]), ...said };
}

interface AskOptions extends FormOptions {
  readonly key?: string;
  readonly timeout?: number;
}

const pollMs = 30_000;
const replyMs = 30_000;

export const ask = defineCommand<AskOptions, [message: string]>({
  describe: (command) => {
    command
      .argument("<question>", "what to ask")
      .option("--yes-no", "the answer is yes (exit code 0) or no (1)")
      .option("--text", "the answer is a text")
      .option("--choice <word>", "the answer is one of these; may be given more than once", collect)
      .option("--field <name[=type]>", "a part of the answer; may be given more than once", collect)
      .option("--form <json>", "the parts of the answer as a flat JSON Schema, or @FILE with one")
      .option("--key <key>", "asking again under this key, in a later attempt too, finds the answer")
      .option("--timeout <time>", "give up after this time; the question stays open", readDuration);
  },
  run: async (cli, options, message) => {
    const key = options.key ?? `ask-${randomBytes(4).toString("hex")}`;
    const question = { message, ...defined({ form: readForm(options) }) };
    tellAsked(cli, message);
    const answered = await awaitAnswer(connectInside(cli, "ask"), { ...question, key }, options.timeout);
    if (answered === undefined) {
      cli.screen.note(`Nobody has answered yet. The question stays open; \`--key ${key}\` asks for its answer again.`);
      return exitCodes.waitTimedOut;
    }
    if (options.json === true) cli.screen.printJson({ key, ...answered });
    else if (answered.action === "accept") printContent(cli, answered.content ?? {}, question.form);
    return answerExitCode(answered);
  },
});

/** In a terminal of the job nothing else would show that somebody is asked. */
function tellAsked({ environment, screen }: CliContext, message: string): void {
  const id = environment.variable("LONGHAUL_JOB_ID");
  if (id === undefined || !screen.terminal.err.isTerminal) return;
  screen.note(`? ${message}`);
  screen.note(screen.noteStyle.dim(`waits for an answer, from another terminal: longhaul answer ${shortId(id)}`));
}

type AskedAnswer = NonNullable<AnswerOf<"attempt_ask">["answer"]>;

async function awaitAnswer(
  client: InsideClient,
  question: InputOf<"attempt_ask">,
  timeoutMs = Infinity,
): Promise<AskedAnswer | undefined> {
  const giveUpAt = performance.now() + timeoutMs;
  // Once it is asked it stays asked, however long the server is away.
  for (let waitMs = 0, isPatient = false; ; isPatient = true) {
    const input = { ...question, wait_ms: waitMs };
    const { answer } = await client.call("attempt_ask", input, { isPatient, maxMs: waitMs + replyMs });
    const leftMs = giveUpAt - performance.now();
    if (answer !== undefined || leftMs <= 0) return answer;
    waitMs = Math.ceil(Math.min(pollMs, leftMs));
  }
}

/** A single part is printed as it is, several as JSON. */
function printContent({ screen }: CliContext, content: Record<string, Json>, form: Question["form"]): void {
  const values = Object.values(content);
  const isSingle = Object.keys(form?.properties ?? content).length <= 1;
  if (!isSingle) screen.printJsonLine(content);
  else for (const value of values.flat()) screen.printData(plainText(value));
}

function plainText(value: Json): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A single "no" is one for the shell too: `if longhaul ask "Deploy?" --yes-no; then …`. */
function answerExitCode(answer: Answer | AskedAnswer): number {
  if (answer.action === "decline") return exitCodes.declined;
  if (answer.action === "cancel") return exitCodes.dismissed;
  const values = Object.values(answer.content ?? {});
  return values.length === 1 && values[0] === false ? exitCodes.failed : exitCodes.done;
}

interface ArtifactOptions {
  readonly name?: string;
  readonly type?: string;
}

const partBytes = 2_000_000;

export const artifact = defineCommand<ArtifactOptions, [file: string]>({
  describe: (command) => {
    command
      .argument("<file>", "the file to keep with the job")
      .option("--name <name>", "its name there; that of the file unless given")
      .option("--type <type>", "its media type, such as text/plain; by the ending of the name unless given");
  },
  run: async (cli, { json, name: wantedName, type }, path) => {
    const client = connectInside(cli, "artifact");
    const name =
      wantedName ??
      basename(path)
        .replace(/^[.+-]+/, "")
        .replace(/[^A-Za-z0-9_.+-]+/g, "-");
    const file = await open(path, "r").catch((error: unknown) => {
      throw new LonghaulError("invalid_input", `${path} cannot be read: ${messageOf(error)}.`);
    });
    try {
      const kept = await sendFile(client, file, { path, name, ...defined({ media_type: type }) });
      if (json === true) cli.screen.printJson(kept);
    } finally {
      await file.close();
    }
  },
});

async function sendFile(
  client: InsideClient,
  file: FileHandle,
  { path, ...described }: { path: string; name: string; media_type?: string },
): Promise<AnswerOf<"attempt_artifact">> {
  const facts = await file.stat();
  if (!facts.isFile()) throw new LonghaulError("invalid_input", `${path} is not a regular file.`);
  if (facts.size > artifactBounds.fileBytes) {
    const maxMb = artifactBounds.fileBytes / 1_000_000;
    throw new LonghaulError("too_large", `${path} has ${facts.size} bytes; an artifact may have at most ${maxMb} MB.`);
  }
  for (let from = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(partBytes), 0, partBytes, from);
    const isLast = bytesRead === 0 || from + bytesRead >= facts.size;
    const content = buffer.toString("base64", 0, bytesRead);
    const kept = await client.call("attempt_artifact", { ...described, content, from, is_last: isLast });
    if (isLast) return kept;
    from += bytesRead;
  }
}
