import { z } from "zod";
import { defineKind, type Engine, type JobContext, type Kind, type SubmitRequest } from "../../src/index.ts";
import { until } from "../until.ts";

type KindSettings = Pick<Kind, "concurrency" | "perKey" | "rate" | "limits">;

interface PuppetSettings extends Partial<KindSettings> {
  readonly name?: string;
  readonly onInterrupt?: Kind["onInterrupt"];
  /** Goes on when told to stop, until the test ends it. */
  readonly isStubborn?: boolean;
}

/** A started attempt: the test does its work and ends it. */
export interface PuppetAttempt {
  readonly label: string;
  readonly context: JobContext;
  readonly succeed: (result?: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** A job whose attempt runs, with all that a test needs to go on. */
export interface StartedJob {
  readonly engine: Engine;
  readonly puppet: Puppet;
  readonly id: string;
  readonly attempt: PuppetAttempt;
}

/** A kind of job on strings: its attempts do nothing but what the test makes them do. */
export class Puppet {
  readonly kind: Kind;
  readonly attempts: PuppetAttempt[] = [];
  #handedOut = 0;

  constructor({ name = "puppet", onInterrupt = "restart", isStubborn = false, ...settings }: PuppetSettings = {}) {
    this.kind = defineKind({
      ...settings,
      name,
      onInterrupt,
      input: z.object({ label: z.string().default(""), host: z.string().optional() }),
      key: ({ host }) => host,
      run: ({ label }, context) =>
        new Promise((resolve, reject) => {
          if (!isStubborn) {
            context.signal.addEventListener("abort", () =>
              reject(new Error("told to stop", { cause: context.signal.reason })),
            );
          }
          this.attempts.push({ label, context, succeed: resolve, fail: reject });
        }),
    });
  }

  /** Submits a job and waits for its attempt. */
  async start(engine: Engine, request: Partial<SubmitRequest> = {}): Promise<StartedJob> {
    const { id } = await engine.submit({ kind: this.kind.name, input: {}, ...request });
    return { engine, puppet: this, id, attempt: await this.next() };
  }

  /** The attempt that started next after the one handed out before; waits for it. */
  async next(): Promise<PuppetAttempt> {
    const index = this.#handedOut++;
    await until(() => this.attempts.length > index);
    return this.attempts[index] as PuppetAttempt;
  }

  /** The labels of the attempts so far, in the order in which they started. */
  get started(): string[] {
    return this.attempts.map(({ label }) => label);
  }
}
