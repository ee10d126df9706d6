import { z } from "zod";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sayDuration } from "../../../src/engine/webhooks/notice.ts";
import { defineKind, JobFailure, type Engine, type OpenOptions, type SubmitRequest } from "../../../src/index.ts";
import type { Desktop, NotifyOptions } from "../../../src/engine/webhooks/webhook-settings.ts";
import { Receiver } from "../../receiver.ts";
import { until } from "../../until.ts";
import { Puppet } from "../puppet.ts";
import { refusal, untilStatus, useWorld } from "../world.ts";
import { present } from "../../present.ts";

const world = useWorld();
const secret = `whsec_${Buffer.alloc(32, "s").toString("base64")}`;
let receiver = new Receiver();
let puppet = new Puppet();

beforeEach(async () => {
  receiver = await new Receiver().start();
  puppet = new Puppet({ concurrency: 50 });
});
afterEach(() => receiver.stop());

function webhooks(notify: NotifyOptions = {}, allow = [receiver.origin]): Pick<OpenOptions, "webhooks"> {
  return { webhooks: { allow, secret: () => secret, notify } };
}

function bodies(): Record<string, unknown>[] {
  return receiver.received.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
}

async function untilTold(count = 1): Promise<Record<string, unknown>[]> {
  await until(() => receiver.received.length >= count);
  return bodies();
}

/** Submits a job that tells the receiver, and brings it where the test wants it. */
async function submit(engine: Engine, more: Partial<SubmitRequest> = {}): Promise<string> {
  const request = { kind: "puppet", input: {}, name: "build", notify: { to: [receiver.url] }, ...more };
  return (await engine.submit(request)).id;
}

class FakeDesktop implements Desktop {
  readonly shown: { text: string; isUrgent: boolean }[] = [];
  missing: string | undefined;
  broken: string | undefined;
  problem = (): string | undefined => this.missing;
  show: Desktop["show"] = async (text, { isUrgent }) => {
    if (this.broken !== undefined) throw new Error(this.broken);
    this.shown.push({ text, isUrgent });
  };
}

describe("what a job tells people", () => {
  it("is one line for each way to end, with the exit code, the error or the reason", async () => {
    const engine = await world().openTimed([puppet.kind], webhooks());
    const texts: unknown[] = [];
    const ends: ((attempt: Awaited<ReturnType<Puppet["next"]>>) => unknown)[] = [
      ({ succeed }) => succeed(),
      ({ fail }) => fail(new JobFailure("exit_code", '"npm test" exited with code 7.', { details: { exit_code: 7 } })),
      ({ fail }) => fail(new Error("no luck.")),
      ({ context }) => engine.cancel(context.id, "enough"),
    ];
    for (const end of ends) {
      await submit(engine);
      const attempt = await puppet.next();
      await world().clock.advance(192_000);
      end(attempt);
      texts.push((await untilTold(texts.length + 1)).at(-1)?.["text"]);
    }
    expect(texts).toEqual([
      "✓ build succeeded after 3m 12s",
      "✗ build failed: exit code 7",
      "✗ build failed: no luck",
      "✗ build was cancelled: enough",
    ]);
  });

  it("says which limit a job has exceeded, as people say a time", async () => {
    const engine = await world().openTimed([puppet.kind], webhooks());
    await submit(engine, { limits: { runMs: 90_000 } });
    await puppet.next();
    await world().clock.advance(90_000);
    expect(await untilTold()).toMatchObject([{ text: "✗ build timed out: it ran longer than its limit of 1m 30s" }]);
  });

  it("is a question as it is asked, and a silence when it is noticed", async () => {
    const engine = await world().openTimed([puppet.kind], { ...webhooks(), stallMs: 600_000 });
    await submit(engine, { name: "deploy" });
    const { context, succeed, fail } = await puppet.next();
    await world().clock.advance(600_000);
    await untilTold();
    void context.ask({ message: "Deploy to\n production?" }, "q").then(succeed, fail);
    expect(await untilTold(2)).toMatchObject([
      { text: "… deploy has shown no sign of life for 10m", type: "job.stalled", state: "running" },
      {
        text: "? deploy asks: Deploy to production?",
        type: "job.question",
        state: "waiting",
        job_id: context.id,
        name: "deploy",
        kind: "puppet",
        question: "Deploy to production?",
      },
    ]);
  });

  it("names a job without a name by what it runs, and one that says nothing by its kind and id", async () => {
    const named = defineKind({
      name: "named",
      onInterrupt: "restart",
      input: z.object({ command: z.string() }),
      summaryOf: ({ command }) => command,
      run: async () => null,
    });
    const engine = await world().open([puppet.kind, named], webhooks());
    const notify = { to: [receiver.url] };
    await engine.submit({ kind: "named", input: { command: `npm test\n${"x".repeat(90)}` }, notify });
    await untilTold();
    const { id } = await engine.submit({ kind: "puppet", input: {}, notify });
    (await puppet.next()).succeed();
    const [first, second] = (await untilTold(2)).map(({ text }) => text);
    expect(first).toMatch(/^✓ npm test succeeded after \d+ ms$/);
    expect(second).toMatch(new RegExp(`^✓ puppet job ${id.slice(-8)} succeeded`));
  });

  it("has no control characters, no line ends, no secrets, and no more than a few hundred characters", async () => {
    const redact = (text: string): string => text.replaceAll("hunter2", "[hidden]");
    const engine = await world().open([puppet.kind], webhooks({ redact }));
    await submit(engine, { name: "\u001b[31mred\u001b[0m\u0007\u202e name\r\nhunter2" });
    (await puppet.next()).fail(new Error(`bad\u001b]0;title\u0007 hunter2 ${"long ".repeat(500)}`));
    const [body] = await untilTold();
    const text = String(body?.["text"]);
    expect(text).toMatch(/^✗ red name \[hidden\] failed: bad \[hidden\] long /);
    expect(text).not.toMatch(/\p{Cc}|\u202e|hunter2/u);
    expect(text.length).toBeLessThan(400);
  });

  it.each([
    [0, "0 ms"],
    [999, "1s"],
    [12_300, "12s"],
    [192_000, "3m 12s"],
    [600_000, "10m"],
    [7_500_000, "2h 5m"],
    [273_600_000, "3d 4h"],
  ])("says %d ms as %s", (ms, text) => {
    expect(sayDuration(ms)).toBe(text);
  });
});

describe("the forms of services", () => {
  const name = "<!channel> & @everyone";
  async function tell(to: string, options: NotifyOptions = {}): Promise<Record<string, unknown>> {
    const engine = await world().open([puppet.kind], webhooks(options));
    await submit(engine, { name, notify: { to: [to] } });
    (await puppet.next()).fail(new Error("no"));
    return present((await untilTold())[0]);
  }

  it("ntfy gets topic, title, message, priority, tags and where a click leads", async () => {
    const link = "https://longhaul.example/jobs/{id}";
    expect(await tell(`ntfy+${receiver.origin}/my-topic?auth=abc`, { link })).toEqual({
      topic: "my-topic",
      title: name,
      message: `✗ ${name} failed: no`,
      priority: 4,
      tags: ["longhaul", "failed"],
      click: expect.stringMatching(/^https:\/\/longhaul\.example\/jobs\/[0-9a-f-]{36}$/) as string,
    });
    expect(receiver.received[0]?.path).toBe("/?auth=abc");
  });

  it("Slack gets a text in which nothing is a mention or a link", async () => {
    expect(await tell(`slack+${receiver.url}`)).toEqual({ text: "✗ &lt;!channel&gt; &amp; @everyone failed: no" });
    expect(receiver.received[0]).toMatchObject({ path: "/hook", headers: { "content-type": "application/json" } });
  });

  it("Discord gets a content that mentions nobody", async () => {
    const content = `✗ ${name} failed: no`;
    expect(await tell(`discord+${receiver.url}`)).toEqual({ content, allowed_mentions: { parse: [] } });
  });

  it("any other address gets a small object, and an id that stays the same", async () => {
    expect(await tell(receiver.url)).toEqual({
      text: `✗ ${name} failed: no`,
      type: "job.failed",
      job_id: expect.any(String) as string,
      kind: "puppet",
      state: "failed",
      name,
      outcome: "no",
    });
    expect(receiver.ids[0]).toMatch(/^[0-9a-f-]{36}-\d+\.1$/);
  });

  it("a desktop is shown the text, and one that cannot be reached is not tried again", async () => {
    const desktop = new FakeDesktop();
    const engine = await world().open([puppet.kind], webhooks({ desktop }));
    await submit(engine, { notify: { to: ["desktop"] } });
    (await puppet.next()).fail(new Error("no"));
    await until(() => desktop.shown.length === 1);
    expect(desktop.shown).toEqual([{ text: "✗ build failed: no", isUrgent: true }]);
    desktop.broken = "cannot open display";
    await submit(engine, { notify: { to: ["desktop"] } });
    (await puppet.next()).succeed();
    await until(async () => (await engine.deliveries({ state: "failed" })).deliveries.length === 1);
    expect((await engine.deliveries({ state: "failed" })).deliveries).toMatchObject([
      { url: "desktop", attempts: 1, lastError: "cannot open display" },
    ]);
  });
});

describe("whom a job tells", () => {
  it("several are told, each once, and one that fails is told again later", async () => {
    const engine = await world().openTimed([puppet.kind], webhooks());
    let isFirst = true;
    receiver.answer = ({ path }, response) => {
      response.writeHead(path === "/a" && isFirst ? 500 : 200).end();
      if (path === "/a") isFirst = false;
    };
    const to = ["/a", "/b", "/a"].map((path) => `${receiver.origin}${path}`);
    const id = await submit(engine, { notify: { to } });
    (await puppet.next()).succeed();
    await untilTold(2);
    await until(async () => (await engine.deliveries({ state: "pending" })).deliveries[0]?.lastStatus === 500);
    await world().clock.advance(6_000);
    await untilTold(3);
    await until(async () => (await engine.deliveries({ state: "delivered" })).deliveries.length === 2);
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(["/a", "/a", "/b"]);
    expect((await engine.get(id)).notify).toEqual({
      to: [`${receiver.origin}/…`, `${receiver.origin}/…`],
      on: ["end", "question", "stall"],
    });
  });

  it("those of the configuration are told of jobs that name nobody and took long enough, if they are this machine's user's", async () => {
    const to = [`${receiver.origin}/default`];
    const engine = await world().openTimed([puppet.kind], webhooks({ to, on: ["fail"], onlyAfterMs: 5_000 }, []));
    const run = async (request: Partial<SubmitRequest>, tookMs = 10_000): Promise<void> => {
      const { id } = await engine.submit({ kind: "puppet", input: {}, ...request });
      const attempt = await puppet.next();
      await world().clock.advance(tookMs);
      attempt.fail(new Error("no"));
      await untilStatus(engine, id, "failed");
    };
    await run({ name: "quick" }, 1_000);
    await run({ name: "ann's", owner: "ann" });
    await run({ name: "confined", isConfined: true });
    await run({ name: "silenced", notify: { to: [] } });
    await run({ name: "long" });
    expect(await untilTold()).toMatchObject([{ name: "long" }]);
    expect((await engine.deliveries()).deliveries).toHaveLength(1);
    await run({ name: "asked for", notify: { to: [`${receiver.origin}/default/mine`] } }, 0);
    expect(await untilTold(2)).toMatchObject([{}, { name: "asked for" }]);
  });

  it("those of the configuration are not told of children: their parent tells of them", async () => {
    const engine = await world().open([puppet.kind], webhooks({ to: [receiver.url], allOwners: true }, []));
    await engine.submit({ kind: "puppet", input: {}, name: "parent", owner: "ann" });
    const parent = await puppet.next();
    await parent.context.spawn({ kind: "puppet", input: {}, key: "child" });
    (await puppet.next()).succeed();
    parent.succeed();
    expect(await untilTold()).toMatchObject([{ name: "parent" }]);
    expect((await engine.deliveries()).deliveries).toHaveLength(1);
  });

  it("what may not be told is refused in one sentence, and nothing is made", async () => {
    const desktop = new FakeDesktop();
    const engine = await world().open([puppet.kind], webhooks({ desktop }));
    const cases: [object, Partial<SubmitRequest>, object][] = [
      [{ to: ["nonsense"] }, {}, refusal("invalid_input", /^notify must be "desktop" or a URL: ntfy:/)],
      [
        { to: ["https://push.example/secret-path"] },
        {},
        refusal(
          "not_allowed",
          /^Notifications to https:\/\/push\.example\/… are not allowed: add https:\/\/push\.example to webhooks\.allow/,
        ),
      ],
      [{ to: ["desktop"] }, { owner: "ann" }, refusal("not_allowed", /is for the jobs of this machine's user/)],
      [{ on: ["end"] }, {}, refusal("invalid_input", /nothing says whom/)],
    ];
    for (const [notify, more, expected] of cases) {
      await expect(submit(engine, { notify, ...more })).rejects.toMatchObject(expected);
    }
    desktop.missing = "the program notify-send is not on the server's PATH";
    await expect(submit(engine, { notify: { to: ["desktop"] } })).rejects.toMatchObject(
      refusal("invalid_input", /^notify cannot be "desktop", because the program notify-send is not on/),
    );
    expect((await engine.list()).jobs).toEqual([]);
  });

  it("without webhooks in the engine nobody can be told", async () => {
    const engine = await world().open([puppet.kind]);
    await expect(submit(engine)).rejects.toMatchObject(refusal("not_allowed"));
    await expect(submit(engine, { notify: { to: ["desktop"] } })).rejects.toMatchObject(
      refusal("invalid_input", /this server shows nothing on a desktop/),
    );
  });

  it("an address that the configuration no longer allows is told nothing more", async () => {
    let engine = await world().open([puppet.kind], webhooks());
    await submit(engine);
    await puppet.next();
    await world().stop();
    engine = await world().open([puppet.kind], webhooks({}, ["https://elsewhere.example"]));
    (await puppet.next()).succeed();
    await until(async () => (await engine.deliveries({ state: "failed" })).deliveries.length === 1);
    expect(receiver.received).toEqual([]);
  });
});

describe("a test", () => {
  it("tells once, and says what came of it", async () => {
    const desktop = new FakeDesktop();
    const engine = await world().open([puppet.kind], webhooks({ desktop }));
    const to = `slack+${receiver.origin}/…`;
    expect(await engine.testNotify(`slack+${receiver.url}`)).toEqual({ to, isDelivered: true, status: 204 });
    expect(bodies()).toEqual([{ text: "✓ Longhaul can reach you here" }]);
    receiver.answer = (_received, response) => response.writeHead(403).end();
    expect(await engine.testNotify(`slack+${receiver.url}`)).toEqual({
      to,
      isDelivered: false,
      status: 403,
      error: "the receiver answered 403",
    });
    await receiver.stop();
    expect(await engine.testNotify(receiver.url)).toMatchObject({
      isDelivered: false,
      error: expect.stringMatching(/^The connection to 127\.0\.0\.1 failed/) as string,
    });
    expect(await engine.testNotify("desktop")).toEqual({ to: "desktop", isDelivered: true });
    expect(desktop.shown).toHaveLength(1);
  });

  it("is refused as a job's would be, and to those who may only read", async () => {
    const engine = await world().open([puppet.kind], webhooks({ desktop: new FakeDesktop() }));
    await expect(engine.testNotify("nonsense")).rejects.toMatchObject(refusal("invalid_input"));
    await expect(engine.testNotify("https://push.example/")).rejects.toMatchObject(refusal("not_allowed"));
    await expect(engine.testNotify("desktop", { owner: "ann" })).rejects.toMatchObject(refusal("not_allowed"));
    await expect(engine.testNotify(receiver.url, { scope: "read" })).rejects.toMatchObject(refusal("not_allowed"));
    expect(receiver.received).toEqual([]);
  });
});
