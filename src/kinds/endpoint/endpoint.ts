import type { ClientDefaults } from "../../job/client-defaults.ts";
import { defined } from "../../job/defined.ts";
import { JobFailure, messageOf } from "../../job/failure.ts";
import { LonghaulError } from "../../job/error.ts";
import { defineKind, type JobContext, type Kind } from "../../job/kind.ts";
import { hideValues } from "../../text/known-values.ts";
import { mapTexts, type Json } from "../../job/json.ts";
import { createRedactor, createShownTexts, type Redactor } from "../../text/redact.ts";
import type { EndpointDirectory, OpenEndpoint } from "./directory.ts";
import { endpointContract, endpointTag, type EndpointInput, type EndpointResult } from "./contract.ts";
import type { FollowPace } from "./follower.ts";
import { runRemote } from "./run-remote.ts";
import { toProgress, type WorkerPool } from "./worker-pool.ts";

export interface EndpointKindSettings {
  readonly directory: EndpointDirectory;
  readonly redactor: Redactor;
  readonly pace?: FollowPace;
}

const defaultPace: FollowPace = { firstMs: 200, maxMs: 10_000, giveUpMs: 24 * 3_600_000 };
const maxAtOnce = 1_000;
const maxPerEndpoint = 200;
const hidden = "[redacted]";

/** Runs jobs on endpoints: remote ones, which go on without us, and local ones, whose workers are ours. */
export function createEndpointKind({ directory, redactor, pace = defaultPace }: EndpointKindSettings): Kind {
  return defineKind({
    ...endpointContract,
    tagsOf: ({ endpoint }) => [endpointTag(endpoint)],
    priorityOf: ({ policy }) => (policy?.lowPriority === true ? -1 : undefined),
    onInterrupt: "resume",
    concurrency: maxAtOnce,
    perKey: maxPerEndpoint,
    perKeyOf: directory.concurrencies(),
    maxInputBytes: 20_000_000,
    maxResultBytes: 25_000_000,
    // A platform that is slow to confirm a submission or a cancel is waited for.
    limits: { graceMs: 45_000 },
    key: ({ endpoint }) => endpoint,
    limitsOf: (input) => directory.limitsOf(input),
    keeps: ["keys"],
    check: (input, { client }) => directory.check(input, client.keys),
    conceal: (input) => concealInput(input, redactor),
    run: async (input, context) => {
      const keys = context.client?.keys;
      const opened = openEndpoint(directory, input.endpoint, keys);
      if (opened.type === "local") return runLocal(input, context, opened.pool, redactor);
      const secrets = [...opened.secrets, ...secretsOf(input)];
      const known = createRedactor(secrets);
      return runRemote(input, context, {
        remote: opened.remote,
        queueHint: () => directory.queueHint(input.endpoint, keys).catch(() => undefined),
        redactor: { ...redactor, text: (text) => redactor.text(known.text(text)) },
        hide: hideValues(secrets),
        pace,
      });
    },
  });
}

/** What was configured when the job was submitted may be gone now. */
function openEndpoint(directory: EndpointDirectory, name: string, keys: ClientDefaults["keys"]): OpenEndpoint {
  try {
    return directory.open(name, keys);
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    throw new JobFailure("no_endpoint", messageOf(error), { retryable: false });
  }
}

async function runLocal(
  { input }: EndpointInput,
  context: JobContext,
  pool: WorkerPool,
  redactor: Redactor,
): Promise<EndpointResult> {
  // Opened when there is something to write: most quick jobs have nothing.
  const write = (stream: "stdout" | "stderr", text: string): void => context.output(stream).write(text);
  const startedAt = performance.now();
  // It begins anew, and so does its stream: readers leave out what stands before this line.
  if (context.isInterrupted) write("stdout", '{"restarted":true}\n');
  let said: Json | undefined;
  context.serve({ inspect: async () => ({ worker_health: { ...pool.workers() }, ...defined({ output: said }) }) });
  try {
    const output = await pool.run(input, context, {
      onMessage: (message) => {
        if (message.type === "progress") {
          said = message.progress;
          context.progress({ phase: "running", ...toProgress(message.progress) });
        } else if (message.type === "stream") write("stdout", `${JSON.stringify({ output: message.chunk })}\n`);
        else write("stderr", `${redactor.text(message.text)}\n`);
      },
      onError: (text) => write("stderr", redactor.text(text)),
    });
    return { output, execution_ms: Math.round(performance.now() - startedAt) };
  } catch (thrown) {
    if (!(thrown instanceof JobFailure)) throw thrown;
    const { code, retryable, details } = thrown;
    throw new JobFailure(code, redactor.text(thrown.message), {
      retryable,
      details,
    });
  }
}

function concealInput(input: EndpointInput, redactor: Redactor): EndpointInput {
  const hideOwn = hideValues(secretsOf(input));
  const show = createShownTexts({ ...redactor, text: (text) => redactor.text(hideOwn(text)) });
  const shown = { ...input, input: mapTexts(input.input, show) };
  if (shown.s3Config === undefined) return shown;
  return { ...shown, s3Config: { ...shown.s3Config, accessId: hidden, accessSecret: hidden } };
}

function secretsOf({ s3Config }: EndpointInput): string[] {
  return s3Config === undefined ? [] : [s3Config.accessId, s3Config.accessSecret];
}
