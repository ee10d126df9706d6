import { type Command, InvalidArgumentError } from "commander";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import type { CliContext } from "../cli-context.ts";
import { attachTerminal } from "../attach/attach-terminal.ts";
import { windowSize } from "../attach/raw-terminal.ts";
import { defineCommand } from "../command.ts";
import { tellAttached } from "./attach.ts";
import { exitCodes } from "../exit-code.ts";
import { followJob } from "../follow/follow-job.ts";
import { inputSource, startFeeding } from "../follow/piped-input.ts";
import { addNotifyOptions, toNotifyRequest, type NotifyOptions } from "../options/notify-options.ts";
import { collect, readDuration, readWhole } from "../options/option-values.ts";
import { shortId } from "../show/job-text.ts";

interface RunOptions extends NotifyOptions {
  readonly detach?: true;
  readonly name?: string;
  readonly cwd?: string;
  readonly env?: string[];
  readonly on?: string;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly pty?: true;
  readonly ready?: Ready;
  readonly retry?: number;
  readonly after?: string[];
  readonly delay?: number;
  readonly priority?: number;
  readonly tag?: string[];
  readonly batch?: string;
  readonly shell?: string;
  readonly stdin?: string;
  readonly finishWithMain?: true;
  readonly webhook?: string;
}

export const run = defineCommand<RunOptions, [words: string[]]>({
  describe,
  run: async (cli, options, words) => {
    const { detach, json, pty } = options;
    const source = detach === true || options.stdin !== undefined ? "none" : inputSource();
    const isAttached = pty === true && source === "terminal" && cli.screen.terminal.out.isTerminal && json !== true;
    const request = await toRequest(words, options, cli);
    const job = await cli.client.callWithContext("run_command", {
      ...request,
      ...(source === "nothing" ? { stdin: "" } : source === "piped" ? { stream_stdin: true } : {}),
      ...(isAttached ? { window: windowSize() } : {}),
    });
    if (isAttached) return tellAttached(cli, job, await attachTerminal(cli, job));
    const feeding = source === "piped" ? startFeeding(cli, job.id) : undefined;
    try {
      const exitCode = await followJob(cli, job, { detach, json, output: { isPty: pty === true } });
      if (exitCode === exitCodes.interrupted && feeding?.isDone() === false) tellUnfed(cli, job);
      return exitCode;
    } finally {
      feeding?.stop();
    }
  },
});

function tellUnfed({ screen }: CliContext, { id }: JobView): void {
  screen.note(`What is piped in here has not all been passed on. End its input: longhaul send ${shortId(id)} --eof`);
}

function describe(command: Command): void {
  command
    .passThroughOptions()
    .usage("[options] -- COMMAND…")
    .argument("<command...>", "one word: a command line for the shell; several: a program and its arguments")
    .option("-d, --detach", "print the id and do not wait")
    .option("--name <name>", "a name to find the job by")
    .option("--cwd <folder>", "working directory (this one unless given)")
    .option("-e, --env <name=value>", "a variable, or just the name of one to pass on; may be repeated", collect)
    .option("--timeout <time>", "maximum running time of one attempt, such as 10m", readDuration)
    .option("--idle-timeout <time>", "maximum time without a sign of life", readDuration)
    .option("--pty", "run in a terminal of its own; on a terminal, this one is it until the job ends")
    .option("--ready <how>", "how to tell that it is up: pattern=…, port=… or url=…", readReady)
    .option("--retry <times>", "how many times to try again if it fails", readWhole(0, 99))
    .option("--after <id>", "run after this job has succeeded; may be repeated", collect)
    .option("--delay <time>", "start no sooner than this", readDuration)
    .option("--on <label>", "run on the machine of this name, or on one that has this label")
    .option("--priority <number>", "higher runs first; 0 is normal", readWhole(-1_000, 1_000))
    .option("--tag <tag>", "may be repeated", collect)
    .option("--batch <batch>", "groups jobs that belong together")
    .option("--shell <shell>", "bash or sh")
    .option(
      "--stdin <text>",
      "text for its standard input, or - to read what is piped in here to its end first (as -d needs it)",
    )
    .option("--webhook <url>", "post its end and its questions to this URL")
    .option("--finish-with-main", "do not wait for children that outlive the main process")
    .addHelpText(
      "after",
      "\nCtrl-C leaves the job running. The exit code is the command's own. What is piped in becomes the command's\ninput; with -d, or at a terminal, the input stays open for `longhaul send`.",
    );
  addNotifyOptions(command);
}

async function toRequest(words: readonly string[], options: RunOptions, cli: CliContext): Promise<object> {
  const { name, pty, ready, after, priority, batch, shell } = options;
  const stdin = options.stdin === "-" ? await readAll(process.stdin) : options.stdin;
  return {
    ...(words.length === 1 ? { command: words[0] } : { argv: words }),
    cwd: resolve(options.cwd ?? ""),
    // Lets the call be made again when the server dies in the middle of it, without running the command twice.
    idempotency_key: randomUUID(),
    name,
    pty,
    ready,
    after,
    place: options.on,
    priority,
    batch,
    shell,
    stdin,
    env: options.env === undefined ? undefined : toVariables(options.env, cli),
    tags: options.tag,
    delay_ms: options.delay,
    timeout_ms: options.timeout,
    idle_timeout_ms: options.idleTimeout,
    attempts: options.retry === undefined ? undefined : options.retry + 1,
    finish_with_main: options.finishWithMain,
    webhook: options.webhook === undefined ? undefined : { url: options.webhook },
    ...toNotifyRequest(options),
  };
}

export function toVariables(pairs: readonly string[], { environment }: CliContext): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      const value = environment.variable(pair);
      if (value !== undefined) return [pair, value];
      throw new LonghaulError(
        "invalid_input",
        `--env must be NAME=VALUE, or the name of a variable that is set here, got "${pair}".`,
      );
    }),
  );
}

type Ready = { readonly pattern: string } | { readonly port: number } | { readonly url: string };

/** How to tell that a service is up: `pattern=listening`, `port=3000`, `url=http://localhost:3000/health`. */
function readReady(text: string): Ready {
  const [, how, value] = /^(pattern|port|url)=(.+)$/s.exec(text) ?? [];
  if (how === "pattern" && value !== undefined) return { pattern: value };
  if (how === "url" && value !== undefined) return { url: value };
  if (how === "port" && value !== undefined) return { port: readWhole(1, 65_535)(value) };
  throw new InvalidArgumentError("Expected pattern=…, port=… or url=….");
}
