import { JobFailure, messageOf } from "../../job/failure.ts";
import { LonghaulError } from "../../job/error.ts";
import { defineKind, type JobContext, type Kind } from "../../job/kind.ts";
import { createRedactor, hideValues, type Redactor } from "../../text/redact.ts";
import type { EndpointDirectory, OpenEndpoint } from "./directory.ts";
import { endpointInputSchema, endpointResultSchema, type EndpointInput, type EndpointResult } from "./input.ts";
import { runRemote, type FollowPace } from "./run-remote.ts";
import { toProgress, type WorkerPool } from "./worker-pool.ts";

export interface EndpointKindSettings {
  readonly directory: EndpointDirectory;
  readonly redactor: Redactor;
  readonly pace?: FollowPace;
}

const usualPace: FollowPace = { firstMs: 500, mostMs: 10_000, giveUpMs: 24 * 3_600_000 };
const mostAtOnce = 1_000;
const mostPerEndpoint = 200;
const hidden = "[redacted]";

/** Runs jobs on endpoints: remote ones, which go on without us, and local ones, whose workers are ours. */
export function createEndpointKind({ directory, redactor, pace = usualPace }: EndpointKindSettings): Kind {
  return defineKind({
    name: "endpoint",
    input: endpointInputSchema,
    result: endpointResultSchema,
    onInterrupt: "resume",
    concurrency: mostAtOnce,
    perKey: mostPerEndpoint,
    perKeyOf: directory.concurrencies(),
    maxInputBytes: 20_000_000,
    maxResultBytes: 25_000_000,
    // A platform that is slow to confirm a submission or a cancel is waited for.
    limits: { graceMs: 45_000 },
    key: ({ endpoint }) => endpoint,
    limitsOf: (input) => directory.limitsOf(input),
    check: (input) => directory.check(input),
    conceal: (input) => concealInput(input, redactor),
    run: async (input, context) => {
      const opened = openEndpoint(directory, input.endpoint);
      if (opened.type === "local") return runLocal(input, context, opened.pool, redactor);
      const secrets = [...opened.secrets, ...secretsOf(input)];
      const known = createRedactor(secrets);
      return runRemote(input, context, {
        remote: opened.remote,
        queueHint: () => directory.queueHint(input.endpoint).catch(() => undefined),
        redactor: { ...redactor, text: (text) => redactor.text(known.text(text)) },
        hide: hideValues(secrets),
        pace,
      });
    },
  });
}

/** What was configured when the job was submitted may be gone now. */
function openEndpoint(directory: EndpointDirectory, name: string): OpenEndpoint {
  try {
    return directory.open(name);
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
  const startedAt = context.now();
  // It begins anew, and so does its stream: readers leave out what stands before this line.
  if (context.isInterrupted) write("stdout", '{"restarted":true}\n');
  context.serve({ inspect: async () => ({ worker_health: { ...pool.workers() } }) });
  try {
    const output = await pool.run(input, context, {
      onMessage: (message) => {
        if (message.type === "progress") context.progress({ phase: "running", ...toProgress(message.progress) });
        else if (message.type === "stream") write("stdout", `${JSON.stringify({ output: message.chunk })}\n`);
        else write("stderr", `${redactor.text(message.text)}\n`);
      },
      onError: (text) => write("stderr", redactor.text(text)),
    });
    return { output, execution_ms: context.now() - startedAt };
  } catch (thrown) {
    if (!(thrown instanceof JobFailure)) throw thrown;
    const { code, retryable, details } = thrown;
    throw new JobFailure(code, redactor.text(thrown.message), {
      retryable,
      ...(details === undefined ? {} : { details }),
    });
  }
}

function concealInput(input: EndpointInput, redactor: Redactor): EndpointInput {
  const known = createRedactor(secretsOf(input));
  const text = JSON.stringify(input, (_key, inner: unknown) =>
    typeof inner === "string" ? redactor.text(known.text(inner)) : inner,
  );
  const shown = JSON.parse(text) as EndpointInput;
  if (shown.s3Config === undefined) return shown;
  return { ...shown, s3Config: { ...shown.s3Config, accessId: hidden, accessSecret: hidden } };
}

function secretsOf({ s3Config }: EndpointInput): string[] {
  return s3Config === undefined ? [] : [s3Config.accessId, s3Config.accessSecret];
}
