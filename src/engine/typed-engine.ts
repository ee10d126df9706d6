import type { Job } from "../job/job.ts";
import type { Json } from "../job/json.ts";
import type { KindOf } from "../job/kind.ts";
import type { JobEnd, JobOf } from "../job/typed-job.ts";
import type { Access, Actor } from "./access.ts";
import type { Engine } from "./engine.ts";
import type { SubmitRequest } from "./submit.ts";
import type { WaitOptions, WaitResult } from "./wait.ts";

/** All that a request says besides what it runs. */
export type SubmitOptions = Omit<SubmitRequest, "kind" | "input">;

/** An engine for programs that have the kinds at hand: what goes into a job and what comes of it is checked by the compiler. */
export interface TypedEngine extends Omit<Engine, "submit" | "wait" | "result"> {
  readonly submit: {
    (request: SubmitRequest, actor?: Actor): Promise<Job>;
    <Input, Result>(
      kind: KindOf<Input, Result>,
      input: NoInfer<Input>,
      options?: SubmitOptions,
      actor?: Actor,
    ): Promise<JobOf<Result>>;
  };
  readonly wait: {
    (ids: string | readonly string[], options?: WaitOptions & Access): Promise<WaitResult>;
    <Result>(job: JobOf<Result>, options?: Pick<WaitOptions, "timeoutMs" | "signal"> & Access): Promise<JobEnd<Result>>;
  };
  readonly result: {
    (id: string, access?: Access): Promise<Json>;
    <Result>(job: JobOf<Result>, access?: Access): Promise<Result>;
  };
}

export function toTypedEngine<Given extends Engine>(
  engine: Given,
): Omit<Given, "submit" | "wait" | "result"> & TypedEngine {
  const submit = (first: SubmitRequest | KindOf<unknown, unknown>, ...rest: unknown[]): Promise<Job> => {
    if (!isKind(first)) return engine.submit(first, rest[0] as Actor | undefined);
    const [input, options, actor] = rest as [unknown, SubmitOptions | undefined, Actor | undefined];
    return engine.submit({ ...options, kind: first.name, input }, actor);
  };
  const wait = (
    first: string | readonly string[] | Job,
    options?: WaitOptions & Access,
  ): Promise<WaitResult | JobEnd<Json>> =>
    isJob(first) ? waitForEnd(engine, first, options) : engine.wait(first, options);
  const result = (first: string | Job, access?: Access): Promise<Json> =>
    engine.result(typeof first === "string" ? first : first.id, access);
  return {
    ...engine,
    submit,
    wait: wait as TypedEngine["wait"],
    result,
  };
}

function isKind(given: SubmitRequest | KindOf<unknown, unknown>): given is KindOf<unknown, unknown> {
  return "run" in given && typeof given.run === "function";
}

function isJob(given: string | readonly string[] | Job): given is Job {
  return typeof given === "object" && "state" in given;
}

async function waitForEnd(engine: Engine, { id }: Job, options: WaitOptions & Access = {}): Promise<JobEnd<Json>> {
  await engine.wait(id, options);
  const job = await engine.get(id, options);
  const { state } = job;
  if (state.status === "succeeded") return { job, status: state.status, result: await engine.result(id, options) };
  if (state.status === "cancelled") return { job, status: state.status, reason: state.reason };
  if (state.status === "failed" || state.status === "timed_out") {
    return { job, status: state.status, failure: state.failure };
  }
  return { job, status: state.status };
}
