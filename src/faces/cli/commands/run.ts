import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { Command } from "commander";
import { defined } from "../../../job/defined.ts";
import { LonghaulError } from "../../../job/error.ts";
import type { JobView } from "../../../operations/job-view.ts";
import { defineCommand } from "../command.ts";
import type { Front } from "../front.ts";
import { collect, readDuration, readWhole } from "../option-values.ts";
import { attend, attendSilently } from "../attend.ts";
import { shortId } from "../job-text.ts";
import { readReady, type Ready } from "../ready-option.ts";

interface RunOptions {
  readonly detach?: true;
  readonly name?: string;
  readonly cwd?: string;
  readonly env?: string[];
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
  run: async (front, options, words) => {
    const { client, screen } = front;
    const request = await toRequest(words, options, front);
    const job = await client.call<JobView>("run_command", request);
    if (options.detach !== true) {
      return options.json === true ? attendSilently(front, job) : attend(front, job, { isPty: options.pty === true });
    }
    if (options.json === true) screen.printJson(job);
    else screen.print(job.id);
    if (screen.terminal.out.isTerminal)
      screen.note(screen.noteStyle.dim(`follow it: longhaul logs -f ${shortId(job.id)}`));
    return undefined;
  },
});

function describe(command: Command): void {
  command
    .passThroughOptions()
    .usage("[options] -- COMMAND…")
    .argument("<command...>", "one word: a command line for the shell; several: a program and its arguments")
    .option("-d, --detach", "print the id and do not wait")
    .option("--name <name>", "a name to find the job by")
    .option("--cwd <folder>", "working directory (this one unless given)")
    .option("--env <name=value>", "a variable, or only the name of one to pass on; may be repeated", collect)
    .option("--timeout <time>", "most time one attempt may run, such as 10m", readDuration)
    .option("--idle-timeout <time>", "most time without a sign of life", readDuration)
    .option("--pty", "run on a terminal of its own, for programs that want one")
    .option("--ready <how>", "how to tell that it is up: pattern=…, port=… or url=…", readReady)
    .option("--retry <times>", "try again so many times if it fails", readWhole(0, 99))
    .option("--after <id>", "run after this job has succeeded; may be repeated", collect)
    .option("--delay <time>", "start no sooner than this", readDuration)
    .option("--priority <number>", "higher runs first; 0 is normal", readWhole(-1_000, 1_000))
    .option("--tag <tag>", "may be repeated", collect)
    .option("--batch <batch>", "groups jobs that belong together")
    .option("--shell <shell>", "bash or sh")
    .option(
      "--stdin <text>",
      "text for its input, or - for what is piped in here; else the input stays open for `send`",
    )
    .option("--webhook <url>", "post its end, and its questions, to this address")
    .option("--finish-with-main", "do not wait for children that outlive the main process")
    .addHelpText("after", "\nCtrl-C leaves the job running. The exit code is the command's own.");
}

async function toRequest(words: readonly string[], options: RunOptions, front: Front): Promise<object> {
  const { name, pty, ready, after, priority, batch, shell } = options;
  const stdin = options.stdin === "-" ? await readAll(process.stdin) : options.stdin;
  return {
    ...(words.length === 1 ? { command: words[0] } : { argv: words }),
    cwd: resolve(options.cwd ?? ""),
    // Lets the call be made again when the server dies in the middle of it, without running the command twice.
    idempotency_key: randomUUID(),
    ...defined({
      name,
      pty,
      ready,
      after,
      priority,
      batch,
      shell,
      stdin,
      env: options.env === undefined ? undefined : toVariables(options.env, front),
      tags: options.tag,
      delay_ms: options.delay,
      timeout_ms: options.timeout,
      idle_timeout_ms: options.idleTimeout,
      attempts: options.retry === undefined ? undefined : options.retry + 1,
      finish_with_main: options.finishWithMain,
      webhook: options.webhook === undefined ? undefined : { url: options.webhook },
    }),
  };
}

function toVariables(pairs: readonly string[], { environment }: Front): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      const value = environment.variable(pair);
      if (value !== undefined) return [pair, value];
      throw new LonghaulError(
        "invalid_input",
        `--env ${pair}: expected NAME=VALUE, or the name of a variable that is set here.`,
      );
    }),
  );
}
