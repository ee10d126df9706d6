import type { Client } from "@modelcontextprotocol/client";
import { reply, type FakeJob, type FakeRunpod } from "../../../kinds/endpoint/fake-runpod.ts";

export type Reply = Record<string, unknown>;

/** One answer of a tool, with what differs from run to run made equal. */
export interface Answer {
  readonly tool: string;
  readonly isError: boolean;
  readonly reply: Reply;
}

export interface Play {
  readonly platform: FakeRunpod;
  readonly call: (tool: string, args?: Reply) => Promise<Reply>;
}

type Scenario = (play: Play) => Promise<void>;

const endpointId = "ep9";
const done = { status: "COMPLETED", output: { text: "ho" } };

const submit = async ({ call, platform }: Play): Promise<{ jobId: string; job: FakeJob }> => {
  const { id } = await call("run-endpoint", { endpointId, input: { prompt: "hi" } });
  return { jobId: String(id), job: platform.only() };
};

const refuseWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): FakeRunpod["fault"] =>
  (_request, response) => {
    reply(response, status, body, headers);
    return true;
  };

/** What is played against RunPod's own server and against ours, call by call. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "a job through its statuses": async (play) => {
    const { jobId, job } = await submit(play);
    const status = (): Promise<Reply> => play.call("get-job-status", { endpointId, jobId });
    await status();
    Object.assign(job, { status: "IN_PROGRESS" });
    await status();
    Object.assign(job, { output: { step: 3, of: 10 } });
    await status();
    Object.assign(job, { output: "nearly there" });
    await status();
    Object.assign(job, done, { chunks: [{ output: "a" }, { output: { b: 1 } }] });
    await status();
    await play.call("stream-job", { endpointId, jobId });
  },
  "jobs that end without success": async (play) => {
    for (const end of [
      { status: "FAILED", error: "out of memory" },
      { status: "FAILED", error: { type: "Bad", why: "because" } },
      { status: "FAILED", output: { partial: 1 } },
      { status: "TIMED_OUT", error: "took too long" },
      { status: "CANCELLED" },
    ]) {
      const { jobId, job } = await submit(play);
      Object.assign(job, end);
      await play.call("get-job-status", { endpointId, jobId, wait: 30_000 });
      play.platform.jobs.clear();
    }
  },
  "waiting for a job": async (play) => {
    const { platform, call } = play;
    platform.onSubmit = (job) => setTimeout(() => Object.assign(job, done), 300);
    await call("runsync-endpoint", { endpointId, input: {} });
    platform.onSubmit = (job) => Object.assign(job, { status: "IN_PROGRESS" });
    const { id: jobId } = await call("runsync-endpoint", { endpointId, input: {}, wait: 1_000 });
    await call("get-job-status", { endpointId, jobId, wait: 1_000 });
  },
  "cancelling a job": async (play) => {
    for (const status of ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]) {
      const { jobId, job } = await submit(play);
      Object.assign(job, status === "COMPLETED" ? done : { status });
      await play.call("cancel-job", { endpointId, jobId });
      await play.call("get-job-status", { endpointId, jobId });
      play.platform.jobs.clear();
    }
  },
  "retrying a job": async (play) => {
    const { jobId, job } = await submit(play);
    Object.assign(job, { status: "FAILED", error: "no" });
    await play.call("get-job-status", { endpointId, jobId });
    await play.call("retry-job", { endpointId, jobId });
    Object.assign(job, done);
    await play.call("get-job-status", { endpointId, jobId, wait: 30_000 });
  },
  "jobs that were submitted elsewhere": async ({ call, platform }) => {
    const job = platform.add("elsewhere-1");
    const ids = { endpointId, jobId: job.id };
    await call("get-job-status", ids);
    Object.assign(job, { status: "IN_PROGRESS", output: { step: 1 } });
    await call("get-job-status", ids);
    await call("get-job-status", { ...ids, wait: 1_000 });
    await call("retry-job", ids);
    await call("cancel-job", ids);
    await call("get-job-status", ids);
    const failed = platform.add("elsewhere-2", { status: "FAILED", error: "no" });
    await call("retry-job", { endpointId, jobId: failed.id });
    const streamed = platform.add("elsewhere-3", { ...done, chunks: [{ output: 1 }, { output: 2 }] });
    await call("stream-job", { endpointId, jobId: streamed.id });
    for (const tool of ["get-job-status", "stream-job", "cancel-job", "retry-job"]) {
      await call(tool, { endpointId, jobId: "nobody-knows-it" });
    }
  },
  "submissions that are refused": async ({ call, platform }) => {
    for (const [status, body] of [
      [400, { error: "input is wrong" }],
      [401, "unauthorized"],
      [402, { error: "no money" }],
      [403, { error: "not yours" }],
      [404, { error: "endpoint not found" }],
      [422, { error: "unprocessable" }],
    ] as const) {
      platform.fault = refuseWith(status, body);
      await call("run-endpoint", { endpointId, input: {} });
      await call("runsync-endpoint", { endpointId, input: {} });
    }
  },
  "arguments that are refused": async ({ call }) => {
    await call("run-endpoint", { endpointId });
    await call("run-endpoint", {});
    await call("run-endpoint", { endpointId, input: null });
    await call("run-endpoint", { endpointId, input: {}, prompt: "hi", model: "x" });
    await call("run-endpoint", { endpointId: "a/b", input: {} });
    await call("get-job-status", { endpointId, jobId: "a b" });
    await call("get-job-status", { endpointId, jobId: "x", wait: 10 });
    await call("runsync-endpoint", { endpointId, input: {}, wait: 10 });
    await call("list-endpoint-workers", {});
    await call("stream-worker-logs", { endpointId });
  },
  "the health of an endpoint and its queue": async (play) => {
    await play.call("endpoint-health", { endpointId });
    await submit(play);
    await play.call("purge-endpoint-queue", { endpointId });
  },
  "what the platform answers with an error": async ({ call, platform }) => {
    const failing = platform.add("elsewhere-4", { status: "IN_PROGRESS" });
    const ids = { endpointId, jobId: failing.id };
    for (const fault of [
      refuseWith(500, "oops"),
      refuseWith(429, { error: "slow down" }, { "retry-after": "7" }),
      refuseWith(401, { error: "who?" }),
    ]) {
      platform.fault = fault;
      await call("get-job-status", ids);
      await call("cancel-job", ids);
      await call("endpoint-health", { endpointId });
      await call("purge-endpoint-queue", { endpointId });
    }
  },
  "lists of endpoints": async ({ call, platform }) => {
    const { pagination } = await call("list-endpoints", { limit: 2 });
    await call("list-endpoints", { limit: 2, cursor: (pagination as Reply)["nextCursor"] });
    await call("list-endpoints", { cursor: "nonsense", limit: 1 });
    platform.account.endpoints = [];
    await call("list-endpoints");
    await call("list-public-endpoints");
    await call("list-public-endpoints", { includeOffline: true, limit: 2 });
    await call("list-public-endpoints", { modality: "IMAGE", includeOffline: true });
    await call("list-public-endpoints", { owner: "openai" });
    await call("list-public-endpoints", { searchTerm: "SPEECH" });
    platform.fault = refuseWith(401, { error: "who?" });
    await call("list-endpoints");
    platform.fault = refuseWith(404, "gone");
    await call("list-public-endpoints");
  },
  "workers and their logs": async ({ call, platform }) => {
    await call("list-endpoint-workers", { id: endpointId });
    const ids = { endpointId, workerId: "w1", maxWaitMs: 500 };
    await call("stream-worker-logs", ids);
    await call("stream-worker-logs", { ...ids, source: "system", tail: 1 });
    await call("stream-worker-logs", { ...ids, source: "both", tail: 0 });
    platform.fault = refuseWith(404, { error: "no such worker" });
    await call("list-endpoint-workers", { id: endpointId });
    await call("stream-worker-logs", ids);
  },
};

const texts = new Set(["hint", "note"]);

/** Plays a scenario through a client, and says what it was answered. */
export async function playScenario(client: Client, platform: FakeRunpod, scenario: Scenario): Promise<Answer[]> {
  const answers: Answer[] = [];
  const ids = new Set<string>();
  await scenario({
    platform,
    call: async (tool, args = {}) => {
      const { content, isError = false } = await client.callTool({ name: tool, arguments: args });
      const [first] = content;
      const said = JSON.parse(first?.type === "text" ? first.text : "null") as Reply;
      const isStart = tool === "run-endpoint" || tool === "runsync-endpoint";
      if (isStart && typeof said["id"] === "string") ids.add(said["id"]);
      answers.push({ tool, isError, reply: toComparable(said, ids) as Reply });
      return said;
    },
  });
  return answers;
}

/** Ids of jobs are whose they are; how a sentence reads is everybody's own matter. */
function toComparable(value: unknown, ids: ReadonlySet<string>): unknown {
  if (typeof value === "string") return ids.has(value) ? "<id>" : value;
  if (Array.isArray(value)) return value.map((item) => toComparable(item, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, texts.has(key) ? "<text>" : toComparable(inner, ids)]),
  );
}
