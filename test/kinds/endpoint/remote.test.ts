import { describe, expect, it } from "vitest";
import { until } from "../../until.ts";
import { reply } from "./fake-runpod.ts";
import { useEndpoints } from "./world.ts";

const world = useEndpoints();

const completeAtOnce = (output: unknown) => (job: { status: string; output?: unknown }) => {
  job.status = "COMPLETED";
  job.output = output;
};

describe("a job on a remote endpoint", () => {
  it("is submitted as RunPod wants it, followed, and ends with what the platform says", async () => {
    const engine = await world().open();
    const { runpod } = world();
    const policy = { executionTimeout: 60_000, ttl: 600_000 };
    const job = await world().submit(
      "ep1",
      { prompt: "hi" },
      { input: { policy, platform_webhook: "https://example.com/x" } },
    );
    await until(() => runpod.jobs.size === 1);
    const remote = runpod.only();
    expect(remote.body).toEqual({ input: { prompt: "hi" }, policy, webhook: "https://example.com/x" });
    await until(async () => (await engine.inspect(job.id))["remote_status"] === "IN_QUEUE");
    expect(await engine.inspect(job.id)).toMatchObject({ remote_id: remote.id, hint: expect.any(String) as string });
    remote.status = "RUNNING";
    remote.output = "warming up";
    await until(async () => JSON.stringify((await engine.get(job.id)).state).includes("warming up"));
    expect((await engine.get(job.id)).state).toMatchObject({ status: "running", progress: { phase: "running" } });
    completeAtOnce({ text: "ho" })(remote);
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(await engine.result(job.id)).toEqual({
      output: { text: "ho" },
      delay_ms: 12,
      execution_ms: 34,
      worker: "w1",
      remote_id: remote.id,
    });
    expect(runpod.submissions).toBe(1);
  });

  it.each([
    ["FAILED", "failed", "remote_failed"],
    ["TIMED_OUT", "timed_out", "remote_timed_out"],
  ])("that becomes %s there becomes %s here, with the platform's error", async (status, ours, code) => {
    await world().open();
    world().runpod.onSubmit = (job) => Object.assign(job, { status, error: "out of memory" });
    expect((await world().run("ep1")).state).toMatchObject({
      status: ours,
      failure: {
        code,
        message: expect.stringContaining("out of memory") as string,
        details: { remote_status: status },
      },
    });
  });

  it("that is cancelled on the platform is cancelled here", async () => {
    await world().open();
    world().runpod.onSubmit = (job) => Object.assign(job, { status: "CANCELLED" });
    expect((await world().run("ep1")).state).toMatchObject({
      status: "cancelled",
      reason: "it was cancelled on its platform",
    });
  });

  it("says that it expired upstream, and its last known state, when the platform has forgotten it", async () => {
    const engine = await world().open();
    const job = await world().submit("ep1");
    await until(() => world().runpod.jobs.size === 1);
    const remote = world().runpod.only();
    remote.status = "IN_PROGRESS";
    await until(async () => (await engine.inspect(job.id))["remote_status"] === "IN_PROGRESS");
    remote.isGone = true;
    expect((await world().end(job.id)).state).toMatchObject({
      status: "failed",
      failure: {
        code: "expired_upstream",
        message: `The remote job ${remote.id} has expired upstream, last known state IN_PROGRESS.`,
        retryable: false,
      },
    });
  });

  it("cancels on the platform too, and ends when the platform has confirmed", async () => {
    const engine = await world().open();
    const job = await world().submit("ep1");
    await until(() => world().runpod.jobs.size === 1);
    const remote = world().runpod.only();
    let refusals = 2;
    world().runpod.fault = (request, response) => {
      if (!(request.url ?? "").includes("/cancel/") || refusals-- <= 0) return false;
      reply(response, 502, "bad gateway");
      return true;
    };
    await engine.cancel(job.id, "enough");
    expect((await world().end(job.id)).state).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(remote).toMatchObject({ status: "CANCELLED", cancels: 1 });
  });

  it("is run again under its remote id when it is retried, and as a new one when the platform has forgotten it", async () => {
    const engine = await world().open();
    const { runpod } = world();
    runpod.onSubmit = (remote) => Object.assign(remote, { status: "FAILED", error: "no" });
    const job = await world().run("ep1");
    expect(job.state.status).toBe("failed");
    const remote = runpod.only();
    await engine.retry(job.id);
    await until(() => remote.retries === 1);
    completeAtOnce("second try")(remote);
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(runpod.submissions).toBe(1);

    const other = await world().run("ep1");
    (runpod.jobs.get("remote-2-u1") ?? remote).isGone = true;
    runpod.onSubmit = completeAtOnce("third job");
    await engine.retry(other.id);
    expect((await world().end(other.id)).state.status).toBe("succeeded");
    expect(runpod.submissions).toBe(3);
  });

  it("is tried again by its limits, on the platform", async () => {
    await world().open();
    world().runpod.onSubmit = (remote) => Object.assign(remote, { status: "FAILED" });
    const limits = { attempts: 3, backoff: { initialMs: 1, factor: 1, maxMs: 1, jitter: 0 } };
    const job = await world().submit("ep1", {}, { limits });
    await until(() => world().runpod.jobs.size === 1);
    const remote = world().runpod.only();
    await until(() => remote.retries === 1);
    completeAtOnce("at last")(remote);
    expect((await world().end(job.id)).state).toMatchObject({ status: "succeeded", attempt: 2 });
  });
});

describe("whoever looks at a remote job", () => {
  const slowly = { firstMs: 3_600_000, maxMs: 3_600_000 };

  it("is told what the platform says then, however seldom it is followed", async () => {
    const engine = await world().open({ pace: slowly });
    const { runpod } = world();
    const job = await world().submit("ep1");
    await until(async () => (await engine.inspect(job.id))["remote_status"] === "IN_QUEUE");
    const remote = runpod.only();
    Object.assign(remote, { status: "IN_PROGRESS", output: { step: 3, of: 10 } });
    const before = runpod.count("status");
    expect(await engine.inspect(job.id)).toMatchObject({
      remote_status: "IN_PROGRESS",
      output: { step: 3, of: 10 },
    });
    expect(runpod.count("status")).toBe(before + 1);
    completeAtOnce("done")(remote);
    expect(await engine.inspect(job.id)).toMatchObject({ remote_status: "COMPLETED" });
    expect((await world().end(job.id)).state.status).toBe("succeeded");
  });

  it("shares one question with all who look at once", async () => {
    const engine = await world().open({ pace: slowly });
    const { runpod } = world();
    const job = await world().submit("ep1");
    await until(async () => (await engine.inspect(job.id))["remote_status"] === "IN_QUEUE");
    const before = runpod.count("status");
    await Promise.all(Array.from({ length: 20 }, () => engine.inspect(job.id)));
    expect(runpod.count("status") - before).toBeLessThanOrEqual(2);
  });

  it("does not hold up the status by waiting for chunks", async () => {
    const engine = await world().open({ pace: slowly });
    const { runpod } = world();
    runpod.onSubmit = (remote) => Object.assign(remote, { status: "IN_PROGRESS" });
    const job = await world().submit("ep1");
    // The platform holds this one until there is a chunk.
    await until(() => runpod.count("stream") === 1);
    const remote = runpod.only();
    for (const step of [1, 2, 3]) {
      remote.output = step;
      expect(await engine.inspect(job.id)).toMatchObject({ output: step });
    }
    remote.chunks.push("last");
    completeAtOnce("done")(remote);
    expect(await engine.inspect(job.id)).toMatchObject({ remote_status: "COMPLETED" });
    await world().end(job.id);
    expect(await world().output(job.id)).toBe('"last"\n');
  });

  it("is told what is known when the platform wants to be left alone, and does not ask it", async () => {
    const engine = await world().open({ pace: { firstMs: 10, maxMs: 20 } });
    const { runpod } = world();
    runpod.onSubmit = (remote) => Object.assign(remote, { status: "IN_PROGRESS" });
    const job = await world().submit("ep1");
    await until(async () => (await engine.inspect(job.id))["remote_status"] === "IN_PROGRESS");
    runpod.fault = (request, response) => {
      if (!(request.url ?? "").includes("/status/")) return false;
      reply(response, 429, "slow down", { "retry-after": "600" });
      return true;
    };
    await until(async () => "last_error" in (await engine.inspect(job.id)));
    const before = runpod.count("status");
    expect(await engine.inspect(job.id)).toMatchObject({
      remote_status: "IN_PROGRESS",
      last_error: expect.stringContaining("429") as string,
    });
    expect(runpod.count("status")).toBe(before);
    await engine.cancel(job.id);
    await world().end(job.id);
  });

  it("is told that a submission is put off, and why", async () => {
    const engine = await world().open();
    world().runpod.fault = (_request, response) => {
      reply(response, 429, "slow down", { "retry-after": "600" });
      return true;
    };
    const job = await world().submit("ep1");
    await until(async () => (await engine.inspect(job.id))["put_off"] === true);
    expect(await engine.inspect(job.id)).toMatchObject({
      remote_id: null,
      last_error: expect.stringContaining("429") as string,
    });
    await engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
  });
});

describe("a result of more than 25 MB", () => {
  it("ends the job, which says so and where the result may go", async () => {
    await world().open();
    world().runpod.onSubmit = completeAtOnce("x".repeat(25_000_001));
    expect((await world().run("ep1", {}, { limits: { attempts: 3 } })).state).toMatchObject({
      status: "failed",
      attempt: 1,
      failure: {
        code: "result_too_large",
        retryable: false,
        message: expect.stringMatching(/is too large: .*more than 25000000 bytes.*s3Config/) as string,
      },
    });
  });
});

describe("the stream of a remote job", () => {
  it("is kept as lines, each chunk once, in order, also those of its end", async () => {
    const engine = await world().open();
    const job = await world().submit("ep1");
    await until(() => world().runpod.jobs.size === 1);
    const remote = world().runpod.only();
    remote.status = "IN_PROGRESS";
    const chunk = (text: string): unknown => ({ output: text, metrics: { n: 1 } });
    remote.chunks.push(chunk("a"), chunk("a"));
    await until(async () => (await world().output(job.id)).split("\n").length === 3);
    remote.chunks.push(chunk("a"), chunk("a"), chunk("b"));
    await until(() => remote.chunks.length === 0);
    remote.chunks.push(chunk("end"));
    completeAtOnce(null)(remote);
    await world().end(job.id);
    const lines = (await world().output(job.id)).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { output: string }).output)).toEqual([
      "a",
      "a",
      "a",
      "a",
      "b",
      "end",
    ]);
    expect(await engine.result(job.id)).toMatchObject({ output: null });
  });

  it("is kept once from a platform that tells all of it every time, also across a restart", async () => {
    await world().open();
    world().runpod.isRepeating = true;
    const job = await world().submit("ep1");
    await until(() => world().runpod.jobs.size === 1);
    const remote = world().runpod.only();
    remote.status = "IN_PROGRESS";
    remote.chunks.push("one", "two");
    await until(async () => (await world().output(job.id)) === '"one"\n"two"\n');
    await world().reopen();
    remote.chunks.push("three");
    const streams = world().runpod.count("stream");
    await until(() => world().runpod.count("stream") > streams + 4);
    completeAtOnce("done")(remote);
    await world().end(job.id);
    expect(await world().output(job.id)).toBe('"one"\n"two"\n"three"\n');
  });
});

describe("trouble with the platform", () => {
  it("is waited out while a job is followed: errors, too many requests, silent sockets, broken answers", async () => {
    const engine = await world().open({ requestMs: 300 });
    const job = await world().submit("ep1");
    await until(() => world().runpod.jobs.size === 1);
    const troubles = ["500", "429", "silent", "garbage", "cut", "unknown status", "401"];
    const seen = new Set<string>();
    const told: string[] = [];
    world().runpod.fault = (request, response) => {
      const [next] = troubles;
      if (next === undefined || !(request.url ?? "").includes("/status/")) return false;
      troubles.shift();
      seen.add(next);
      if (next === "500") reply(response, 500, "oops");
      if (next === "429") reply(response, 429, "slow down", { "retry-after": "0.2" });
      if (next === "garbage") reply(response, 200, "<html>");
      if (next === "cut") response.writeHead(200, { "content-length": "100" }).write("{");
      if (next === "cut") setTimeout(() => response.destroy(), 10);
      if (next === "unknown status") reply(response, 200, { status: "MELTED" });
      if (next === "401") reply(response, 401, "who?");
      return true;
    };
    await until(async () => {
      const { state } = await engine.get(job.id);
      if ("progress" in state && state.progress?.message !== undefined) told.push(state.progress.message);
      return troubles.length === 0;
    });
    expect(seen.size).toBe(7);
    expect(told.some((message) => message.startsWith("still followed, last error: "))).toBe(true);
    completeAtOnce("fine")(world().runpod.only());
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(world().runpod.submissions).toBe(1);
  });

  it("ends a job that could not be asked about for too long, without submitting it again", async () => {
    await world().open({ giveUpMs: 200 });
    const job = await world().submit("ep1", {}, { limits: { attempts: 3 } });
    await until(() => world().runpod.jobs.size === 1);
    world().runpod.fault = (_request, response) => {
      reply(response, 500, "down");
      return true;
    };
    expect((await world().end(job.id)).state).toMatchObject({ status: "failed", failure: { code: "unreachable" } });
    expect(world().runpod.submissions).toBe(1);
  });

  it("that comes before a submission is accepted is tried again", async () => {
    await world().open();
    let refusals = 2;
    world().runpod.onSubmit = completeAtOnce("ok");
    world().runpod.fault = (request, response) => {
      if (!(request.url ?? "").endsWith("/run") || refusals-- <= 0) return false;
      reply(response, refusals === 1 ? 429 : 503, "busy", { "retry-after": "0" });
      return true;
    };
    expect((await world().run("ep1")).state.status).toBe("succeeded");
    expect(world().runpod.submissions).toBe(1);
  });

  it.each([
    [400, "Check the shape of the input."],
    [401, "Check the API key."],
    [402, "Check the balance of the account."],
    [403, "The key lacks permission."],
    [404, "Check the endpoint's id."],
  ])("that refuses a submission with %i ends the job with advice", async (status, advice) => {
    await world().open();
    world().runpod.fault = (_request, response) => {
      reply(response, status, { error: "no" });
      return true;
    };
    expect((await world().run("ep1", {}, { limits: { attempts: 2 } })).state).toMatchObject({
      status: "failed",
      attempt: 1,
      failure: { code: "not_submitted", message: expect.stringContaining(advice) as string },
    });
  });

  it.each(["silent", "reset", "502", "garbage"])(
    "that leaves it unknown whether a job was submitted (%s) is said, and it is not submitted again",
    async (trouble) => {
      await world().open({ requestMs: 300 });
      world().runpod.lateFault = (request, response) => {
        if (!(request.url ?? "").endsWith("/run")) return false;
        if (trouble === "reset") request.socket.destroy();
        if (trouble === "502") reply(response, 502, "bad gateway");
        if (trouble === "garbage") reply(response, 200, "<html>");
        return true;
      };
      const job = await world().run("ep1", {}, { limits: { attempts: 3 } });
      expect(job.state).toMatchObject({
        status: "failed",
        attempt: 1,
        failure: {
          code: "submission_unknown",
          retryable: false,
          message: expect.stringMatching(/^It is not known whether the job was submitted: /) as string,
        },
      });
      expect(world().runpod.submissions).toBe(1);
    },
  );

  it("nobody listening there is said in the end, as something that may pass", async () => {
    const { runpod } = world();
    await world().open();
    await runpod.close();
    const job = await world().submit("ep1");
    await until(async () => JSON.stringify((await world().engine.get(job.id)).state).includes("not accepted yet"));
    await world().engine.cancel(job.id);
    expect((await world().end(job.id)).state.status).toBe("cancelled");
  });
});

describe("a restart", () => {
  it("goes on following the same remote job", async () => {
    await world().open();
    const job = await world().submit("ep1");
    await until(() => world().runpod.jobs.size === 1);
    await world().reopen();
    await world().reopen();
    completeAtOnce("kept")(world().runpod.only());
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(world().runpod.submissions).toBe(1);
  });

  it("during a submission waits for its answer, and does not submit again", async () => {
    await world().open();
    let answer: (() => void) | undefined;
    world().runpod.lateFault = (request, response) => {
      if (!(request.url ?? "").endsWith("/run")) return false;
      answer = () => reply(response, 200, { id: "remote-1-u1", status: "IN_QUEUE" });
      return true;
    };
    const job = await world().submit("ep1");
    await until(() => answer !== undefined);
    const reopening = world().reopen();
    setTimeout(() => answer?.(), 100);
    await reopening;
    completeAtOnce("kept")(world().runpod.only());
    expect((await world().end(job.id)).state.status).toBe("succeeded");
    expect(world().runpod.submissions).toBe(1);
  });
});

describe("the diagnosis of a queued job", () => {
  it.each([
    [{ unhealthy: 2, idle: 1 }, /crash loop/],
    [{}, /scales up from zero/],
    [{ throttled: 2 }, /no capacity/],
    [{ initializing: 1 }, /cold start/],
    [{ running: 1 }, /read the workers' logs/],
  ])("says what the platform's workers tell: %j", async (workers, hint) => {
    world().runpod.workers = workers;
    const engine = await world().open();
    const job = await world().submit("ep1");
    await until(async () => hint.test(JSON.stringify((await engine.get(job.id)).state)));
    expect(await engine.inspect(job.id)).toMatchObject({
      hint: expect.stringMatching(hint) as string,
      worker_health: { unhealthy: 0, ...workers },
    });
    expect(world().runpod.count("health")).toBe(1);
    completeAtOnce(1)(world().runpod.only());
    await world().end(job.id);
  });

  it("does not fail a job whose platform does not tell", async () => {
    const engine = await world().open();
    world().runpod.fault = (request, response) => {
      if (!(request.url ?? "").endsWith("/health")) return false;
      reply(response, 500, "no");
      return true;
    };
    const job = await world().submit("ep1");
    await until(async () => JSON.stringify((await engine.get(job.id)).state).includes("in the platform's queue"));
    completeAtOnce(1)(world().runpod.only());
    expect((await world().end(job.id)).state.status).toBe("succeeded");
  });
});
