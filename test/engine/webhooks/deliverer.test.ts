import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Delivery, Engine, OpenOptions, WebhookOptions } from "../../../src/index.ts";
import { Receiver, verify } from "../../receiver.ts";
import { until } from "../../until.ts";
import { Puppet } from "../puppet.ts";
import { refusal, untilStatus, useWorld } from "../world.ts";
import { present } from "../../present.ts";

const world = useWorld();
const secret = `whsec_${Buffer.alloc(32, "s").toString("base64")}`;
const ownSecret = `whsec_${Buffer.alloc(32, "o").toString("base64")}`;
let receiver = new Receiver();
let puppet = new Puppet();

beforeEach(async () => {
  receiver = await new Receiver().start();
  puppet = new Puppet({ concurrency: 50 });
});
afterEach(() => receiver.stop());

function webhooks(more: Partial<WebhookOptions> = {}): Pick<OpenOptions, "webhooks"> {
  return { webhooks: { allow: [receiver.origin], secret: () => secret, ...more } };
}

/** Submits a job with a webhook and ends it. */
async function finish(engine: Engine, webhook: object = {}, result: unknown = { answer: 42 }): Promise<string> {
  const { id } = await engine.submit({ kind: "puppet", input: {}, webhook: { url: receiver.url, ...webhook } });
  (await puppet.next()).succeed(result);
  await untilStatus(engine, id, "succeeded");
  return id;
}

async function deliveryOf(engine: Engine): Promise<Delivery> {
  return present((await engine.deliveries()).deliveries[0]);
}

async function untilDelivery(engine: Engine, expected: Partial<Delivery>): Promise<Delivery> {
  await until(async () => {
    const delivery = (await engine.deliveries()).deliveries[0] as Record<string, unknown> | undefined;
    return Object.entries(expected).every(([key, value]) => delivery?.[key] === value);
  });
  return deliveryOf(engine);
}

describe("a webhook", () => {
  it("gets the end of the job, signed, with its result", async () => {
    const engine = await world().open([puppet.kind], webhooks());
    const id = await finish(engine);
    const delivery = await untilDelivery(engine, { state: "delivered", attempts: 1, lastStatus: 204 });
    const [received] = receiver.received;
    expect(verify(secret, present(received))).toMatchObject({
      type: "job.succeeded",
      timestamp: new Date(delivery.createdAt).toISOString(),
      data: { id, kind: "puppet", state: "succeeded", result: { answer: 42 }, webhook: { url: receiver.url } },
    });
    expect(() => verify(ownSecret, present(received))).toThrow(/signature/i);
    expect(received?.id).toBe(`${id}-${delivery.seq}`);
    expect(received?.headers["content-type"]).toBe("application/json");
  });

  it("gets every way to end, and what a retry by hand comes to as a message of its own", async () => {
    const engine = await world().open([puppet.kind], webhooks());
    const submit = async (): Promise<string> =>
      (await engine.submit({ kind: "puppet", input: {}, webhook: { url: receiver.url } })).id;
    const id = await submit();
    (await puppet.next()).fail(new Error("no luck"));
    await until(() => receiver.types.includes("job.failed"));
    expect(receiver.received[0]?.body.data).toMatchObject({ state: "failed", error: { message: "no luck" } });
    await engine.retry(id);
    await puppet.next();
    await engine.cancel(id, "enough");
    await until(() => receiver.types.includes("job.cancelled"));
    expect(new Set(receiver.ids).size).toBe(2);
  });

  it("gets a question when it is asked, and only what it asked for", async () => {
    const engine = await world().open([puppet.kind], webhooks());
    const submit = (on: ("end" | "question")[]): Promise<unknown> =>
      engine.submit({ kind: "puppet", input: {}, webhook: { url: receiver.url, on } });
    await submit(["question"]);
    const asking = await puppet.next();
    void asking.context.ask({ message: "Which branch?" }, "branch").then(asking.succeed, asking.fail);
    await until(() => receiver.received.length === 1);
    expect(receiver.received[0]?.body).toMatchObject({
      type: "job.question",
      data: { state: "waiting", question: { key: "branch", message: "Which branch?" } },
    });
    await engine.answer(asking.context.id, "branch", { action: "decline" });
    await untilStatus(engine, asking.context.id, "succeeded");
    await submit(["end"]);
    const ending = await puppet.next();
    void ending.context.ask({ message: "Which?" }).then(ending.succeed, ending.fail);
    await untilStatus(engine, ending.context.id, "waiting");
    await engine.cancel(ending.context.id);
    await until(() => receiver.received.length === 2);
    expect(receiver.types).toEqual(["job.question", "job.cancelled"]);
  });

  it("of the configuration is for jobs that name none, but not for their children", async () => {
    const defaultUrl = `${receiver.origin}/default?key=abc`;
    const engine = await world().open([puppet.kind], webhooks({ allow: [], defaultUrl }));
    const { id } = await engine.submit({ kind: "puppet", input: {} });
    const parent = await puppet.next();
    await parent.context.spawn({ kind: "puppet", input: {}, key: "child" });
    const child = await puppet.next();
    child.succeed();
    await untilStatus(engine, child.context.id, "succeeded");
    parent.succeed();
    await until(() => receiver.received.length > 0);
    expect(receiver.received).toMatchObject([{ path: "/default?key=abc", body: { data: { id } } }]);
    expect((await engine.get(id)).webhook).toEqual({ url: `${receiver.origin}/default?…`, on: ["end", "question"] });
    expect((await engine.get(child.context.id)).webhook).toBeUndefined();
  });

  it("gets a note in place of a result that is too large", async () => {
    const engine = await world().open([puppet.kind], webhooks());
    await finish(engine, {}, "x".repeat(300_000));
    await until(() => receiver.received.length > 0);
    const { data } = present(receiver.received[0]).body;
    expect(data).toMatchObject({ state: "succeeded", result_omitted: { bytes: 300_002 } });
    expect(data).not.toHaveProperty("result");
  });

  it("that is healthy gets each of a thousand ends exactly once", async () => {
    const engine = await world().open([puppet.kind], webhooks());
    const requests = Array.from({ length: 1_000 }, () => ({
      kind: "puppet",
      input: {},
      webhook: { url: receiver.url },
    }));
    const jobs = await engine.submitMany(requests);
    for (const _job of jobs) (await puppet.next()).succeed();
    await until(() => receiver.received.length >= 1_000, { timeoutMs: 60_000 });
    await until(async () => (await engine.deliveries({ state: "pending" })).deliveries.length === 0);
    expect(receiver.received).toHaveLength(1_000);
    expect(new Set(receiver.received.map(({ body }) => body.data["id"]))).toEqual(new Set(jobs.map(({ id }) => id)));
  }, 90_000);
});

describe("an address", () => {
  const refused = [
    [
      "that is not allowed",
      "https://elsewhere.example/x?token=abc",
      "not_allowed",
      /add https:\/\/elsewhere\.example to webhooks\.allow/,
    ],
    ["that only begins alike", "http://127.0.0.1.evil.example/", "not_allowed", /webhooks\.allow/],
    [
      "that is no web address",
      "ftp://files.example/",
      "invalid_input",
      /webhook\.url must be an http or https address/,
    ],
    ["that is none at all", "hook?token=abc", "invalid_input", /webhook\.url must be/],
    ["with a password", "https://ann:abc@a.example/", "invalid_input", /without user name and password/],
  ] as const;

  it.each(refused)(
    "%s is refused in one sentence that shows no secret, and nothing is made",
    async (_what, url, code, sentence) => {
      const engine = await world().open([puppet.kind], webhooks());
      const submitting = engine.submitMany([
        { kind: "puppet", input: {} },
        { kind: "puppet", input: {}, webhook: { url } },
      ]);
      await expect(submitting).rejects.toMatchObject(refusal(code, sentence));
      await expect(submitting).rejects.not.toThrow(/abc/);
      expect(await engine.count()).toEqual([]);
    },
  );

  it("is refused by an engine without webhooks, and so is a bad secret", async () => {
    const engine = await world().open([puppet.kind]);
    const submit = (url: string, own?: string): Promise<unknown> =>
      engine.submit({ kind: "puppet", input: {}, webhook: { url, secret: own } });
    await expect(submit(receiver.url)).rejects.toMatchObject(refusal("not_allowed", /webhooks\.allow/));
    const other = await world().reopen();
    expect(await other.count()).toEqual([]);
    await world().stop();
    const third = await world().open([puppet.kind], webhooks());
    const bad = third.submit({ kind: "puppet", input: {}, webhook: { url: receiver.url, secret: "whsec_hunter2" } });
    await expect(bad).rejects.toMatchObject(refusal("invalid_input", /^webhook\.secret must be "whsec_" and/));
    await expect(bad).rejects.not.toThrow(/hunter2/);
  });

  it("may be allowed by the beginning of its path", async () => {
    const engine = await world().open([puppet.kind], webhooks({ allow: [`${receiver.origin}/hooks`] }));
    const submit = (path: string): Promise<unknown> =>
      engine.submit({ kind: "puppet", input: {}, webhook: { url: `${receiver.origin}${path}` } });
    await submit("/hooks");
    await submit("/hooks/a?b=c");
    for (const path of ["/", "/hooksy", "/hooks/../admin", "/hooks/%2e%2e/admin"]) {
      await expect(submit(path), `${path} is not below`).rejects.toMatchObject(refusal("not_allowed"));
    }
  });

  it("that is allowed no more gets nothing, and the delivery says why", async () => {
    await receiver.stop();
    let engine = await world().open([puppet.kind], webhooks());
    await finish(engine);
    await until(async () => (await deliveryOf(engine)).lastError !== undefined);
    await world().stop();
    await receiver.start();
    engine = await world().open([puppet.kind], webhooks({ allow: [] }));
    await engine.redeliver((await deliveryOf(engine)).jobId, await deliveryOf(engine));
    expect((await untilDelivery(engine, { state: "failed" })).lastError).toMatch(/add .* to webhooks\.allow/);
    expect(receiver.received).toEqual([]);
  });
});

describe("a receiver that", () => {
  it("is down gets the message when it is up again: the same id and body, at the times of the schedule", async () => {
    await receiver.stop();
    const engine = await world().openTimed([puppet.kind], webhooks());
    await finish(engine);
    const nextAt = world().clock.now() + 5_000;
    const first = await untilDelivery(engine, { state: "pending", attempts: 1, nextAt });
    expect(first.lastError).toMatch(/ECONNREFUSED/);
    await receiver.start();
    receiver.answer = (_received, response) => response.writeHead(500).end("sorry");
    await world().clock.advance(5_000);
    await untilDelivery(engine, { attempts: 2, lastStatus: 500, nextAt: world().clock.now() + 300_000 });
    receiver.answer = (_received, response) => response.writeHead(200).end("thanks");
    await world().clock.advance(300_000);
    await untilDelivery(engine, { state: "delivered", attempts: 3, lastStatus: 200 });
    expect(new Set(receiver.ids).size).toBe(1);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(receiver.received[1]?.headers["webhook-timestamp"]).not.toBe(
      receiver.received[0]?.headers["webhook-timestamp"],
    );
  });

  it("never answers well is given up in the end, and the log says so without the secret", async () => {
    const log: string[] = [];
    receiver.answer = (_received, response) => response.writeHead(500).end();
    const engine = await world().open([puppet.kind], {
      ...webhooks({ retryDelaysMs: [1, 2, 3] }),
      log: (entry) => log.push(JSON.stringify(entry)),
    });
    await finish(engine, { secret: ownSecret });
    await untilDelivery(engine, { state: "failed", attempts: 4, lastError: "the receiver answered 500" });
    expect(receiver.received).toHaveLength(4);
    expect(log.join("\n")).toMatch(/given up/);
    expect(log.join("\n")).not.toContain(ownSecret.slice(6));
  });

  it("takes too long is tried again", async () => {
    receiver.answer = () => undefined;
    const engine = await world().openTimed([puppet.kind], webhooks());
    await finish(engine);
    await until(() => receiver.received.length === 1);
    await world().clock.advance(15_000);
    await untilDelivery(engine, { state: "pending", attempts: 1, lastError: "no answer within 15000 ms" });
    expect(receiver.received).toHaveLength(1);
  });

  it("redirects is not followed", async () => {
    receiver.answer = (_received, response) => response.writeHead(307, { location: `${receiver.origin}/other` }).end();
    const engine = await world().openTimed([puppet.kind], webhooks());
    await finish(engine);
    await untilDelivery(engine, {
      state: "pending",
      attempts: 1,
      lastStatus: 307,
      lastError: "the receiver redirects, which are not followed",
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
  });

  it.each([
    ["seconds", "60", 60_000],
    ["a date", new Date(Date.UTC(2026, 0, 1, 1)).toUTCString(), 3_600_000],
    ["less than the schedule", "1", 5_000],
    ["far more than a day", "99999999", 86_400_000],
    ["nonsense", "soon", 5_000],
  ])("asks to be left alone for %s is, within bounds", async (_what, retryAfter, waitMs) => {
    receiver.answer = (_received, response) => response.writeHead(429, { "retry-after": retryAfter }).end();
    const engine = await world().openTimed([puppet.kind], webhooks());
    await finish(engine);
    await untilDelivery(engine, { lastStatus: 429, nextAt: world().clock.now() + waitMs });
    expect(receiver.received).toHaveLength(1);
  });

  it("is gone gets no more of this job", async () => {
    receiver.answer = (_received, response) => response.writeHead(410).end();
    const engine = await world().open([puppet.kind], webhooks());
    const { id } = await engine.submit({ kind: "puppet", input: {}, webhook: { url: receiver.url } });
    (await puppet.next()).fail(new Error("no"));
    await untilDelivery(engine, { state: "gone", lastStatus: 410 });
    await engine.retry(id);
    (await puppet.next()).succeed();
    await untilStatus(engine, id, "succeeded");
    expect((await engine.deliveries()).deliveries).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  it("hangs holds up nobody else, and at most two of its own are under way", async () => {
    const healthy = await new Receiver().start();
    try {
      receiver.answer = () => undefined;
      const engine = await world().openTimed([puppet.kind], webhooks({ allow: [receiver.origin, healthy.origin] }));
      for (let job = 0; job < 12; job++) await finish(engine);
      await until(() => receiver.received.length === 2);
      for (let job = 0; job < 12; job++) await finish(engine, { url: healthy.url });
      await until(() => healthy.received.length === 12);
      expect(receiver.received).toHaveLength(2);
      await world().clock.advance(15_000);
      await until(() => receiver.received.length === 4);
    } finally {
      await healthy.stop();
    }
  });

  it("answers without end is left after the head of its answer", async () => {
    receiver.answer = (_received, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
      response.on("close", () => clearInterval(timer));
    };
    const engine = await world().open([puppet.kind], webhooks());
    await finish(engine);
    await untilDelivery(engine, { state: "delivered" });
    expect(receiver.received).toHaveLength(1);
  });
});

describe("a stop", () => {
  it("cuts short what is under way, and the next engine sends it under the same id", async () => {
    receiver.answer = () => undefined;
    const engine = await world().open([puppet.kind], webhooks());
    await finish(engine);
    await until(() => receiver.received.length === 1);
    receiver.answer = (_received, response) => response.writeHead(204).end();
    const next = await world().reopen();
    await untilDelivery(next, { state: "delivered", attempts: 2 });
    expect(new Set(receiver.ids).size).toBe(1);
    expect(receiver.ids).toHaveLength(2);
  });
});

describe("redelivering", () => {
  it("by hand sends a delivered message again, under its id", async () => {
    const engine = await world().open([puppet.kind], webhooks());
    const id = await finish(engine);
    const { seq } = await untilDelivery(engine, { state: "delivered" });
    expect(await engine.redeliver(id, { seq, target: 0 })).toMatchObject([{ jobId: id, seq, attempts: 1 }]);
    await untilDelivery(engine, { state: "delivered", attempts: 2 });
    expect(receiver.ids).toEqual([`${id}-${seq}`, `${id}-${seq}`]);
  });

  it("all that failed of a job begins the schedule anew", async () => {
    receiver.answer = (_received, response) => response.writeHead(500).end();
    const engine = await world().open([puppet.kind], webhooks({ retryDelaysMs: [1] }));
    const id = await finish(engine);
    await untilDelivery(engine, { state: "failed", attempts: 2 });
    expect(await engine.redeliver(id)).toHaveLength(1);
    await untilDelivery(engine, { state: "failed", attempts: 4 });
    expect(await engine.redeliver((await engine.submit({ kind: "puppet", input: {} })).id)).toEqual([]);
  });

  it("what is not there is refused", async () => {
    const engine = await world().open([puppet.kind], webhooks());
    const id = await finish(engine);
    await expect(engine.redeliver(id, { seq: 99, target: 0 })).rejects.toMatchObject(
      refusal("not_found", /has no delivery 99/),
    );
    await expect(engine.redeliver(id, undefined, { owner: "eve" })).rejects.toMatchObject(refusal("not_found"));
    await expect(engine.deliveries({ job: "nothing" as never })).rejects.toMatchObject(refusal("not_found"));
  });
});

describe("a job's own secret", () => {
  it("signs its messages, survives a restart, and is seen nowhere else", async () => {
    receiver.answer = (_received, response) => response.writeHead(500).end();
    const engine = await world().open([puppet.kind], webhooks());
    const id = await finish(engine, { secret: ownSecret, url: `${receiver.url}?token=tellnobody` });
    await untilDelivery(engine, { lastStatus: 500 });
    receiver.answer = (_received, response) => response.writeHead(204).end();
    const next = await world().reopen();
    await next.redeliver(id, await deliveryOf(next));
    await until(() => receiver.received.length === 2);
    for (const received of receiver.received) verify(ownSecret, received);
    const seen = [
      await next.get(id),
      await next.list(),
      await next.events(id),
      await next.deliveries(),
      await next.input(id),
    ];
    for (const hidden of [ownSecret.slice(6), "tellnobody"]) {
      expect(JSON.stringify(seen)).not.toContain(hidden);
      expect(receiver.received.map(({ text }) => text).join("\n")).not.toContain(hidden);
    }
    await world().stop();
    const holders = readdirSync(world().home).filter((name) => readText(name).includes(ownSecret));
    expect(holders).toEqual(["longhaul.db"]);
    expect(readText("longhaul.db").split(ownSecret)).toHaveLength(2);
  });
});

function readText(name: string): string {
  return readFileSync(join(world().home, name), "latin1");
}
