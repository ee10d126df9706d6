import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/index.ts";
import type { AttemptHandlers } from "../../src/job/kind.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { MailStore } from "../../src/store/mail-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { until } from "../until.ts";
import { useEach } from "../use-each.ts";
import { FakeClock } from "./fake-clock.ts";
import { Puppet } from "./puppet.ts";
import { eventTypes, refusal, rejection } from "./world.ts";

/** Two engines that share a store, of which one runs a job. */
class Pair {
  readonly clock = new FakeClock();
  readonly puppet = new Puppet();
  readonly store: Store;
  readonly #folder: string;
  readonly #engines: Engine[] = [];
  losesHints = false;

  constructor(folder: string, store: Store) {
    this.#folder = folder;
    this.store = { ...store, capabilities: { ...store.capabilities, isExclusive: false } };
  }

  /** Only the first one may close what they share. */
  async open(puppets: readonly Puppet[], mail: Partial<MailStore> = {}): Promise<Engine> {
    const close = this.#engines.length === 0 ? this.store.close : async (): Promise<void> => undefined;
    const subscribe: Store["subscribe"] = (listener) =>
      this.store.subscribe((hint) => {
        if (!this.losesHints || !hint.type.startsWith("letter")) listener(hint);
      });
    const store = { ...this.store, subscribe, close, mail: { ...this.store.mail, ...mail } };
    const engine = await createEngine({ store, kinds: puppets.map(({ kind }) => kind), clock: this.clock });
    this.#engines.push(engine);
    return engine;
  }

  /** A job that the first engine runs, and the other engine. */
  async start(
    handlers: AttemptHandlers,
    mail?: Partial<MailStore>,
  ): Promise<{ runner: Engine; other: Engine; id: string }> {
    const runner = await this.open([this.puppet], mail);
    const other = await this.open([]);
    const { id, attempt } = await this.puppet.start(runner);
    attempt.context.serve(handlers);
    return { runner, other, id };
  }

  async stop(): Promise<void> {
    for (const { succeed } of this.puppet.attempts) succeed();
    for (const engine of this.#engines.toReversed()) await engine.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

describe("a call of an attempt, which may run on another engine,", () => {
  const pair = useEach(
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "longhaul-calls-"));
      return new Pair(folder, await openSqliteStore({ file: join(folder, "longhaul.db") }));
    },
    (each) => each.stop(),
  );

  it("reaches it there, and its answer comes back", async () => {
    const got: unknown[] = [];
    const { other, id } = await pair().start({
      send: async (text) => void got.push(text),
      feed: async ({ bytes, ...rest }) => {
        got.push([Buffer.from(bytes).toString("latin1"), rest]);
        return 2;
      },
      resize: async (size) => void got.push(size),
      inspect: async () => ({ pid: 7 }),
      summarize: async () => "half done",
    });
    await other.send(id, "yes\n", { by: "ada" });
    const input = { bytes: Buffer.from("\xff\0a", "latin1"), sender: "s", offset: 0 };
    expect(await other.feed(id, input)).toBe(2);
    await other.resize(id, { columns: 80, rows: 24 });
    expect(got).toEqual(["yes\n", ["\xff\0a", { sender: "s", offset: 0 }], { columns: 80, rows: 24 }]);
    expect(await other.inspect(id)).toEqual({ pid: 7 });
    expect(await other.summarize(id)).toBe("half done");
    await until(async () => (await eventTypes(other, id)).includes("text-sent"));
    expect((await other.events(id)).find(({ type }) => type === "text-sent")).toMatchObject({ bytes: 4, by: "ada" });
  });

  it("is refused with the words of the engine that runs it", async () => {
    const { runner, other, id } = await pair().start({
      inspect: async () => {
        throw new Error("no such process");
      },
    });
    expect(await rejection(other.send(id, "x"))).toMatchObject(refusal("conflict", /it takes no input/));
    expect(await rejection(other.summarize(id))).toEqual(await rejection(runner.summarize(id)));
    expect(await rejection(other.inspect(id))).toMatchObject({ message: "no such process" });
  });

  it("that nobody takes within 5 s is refused, and taken by nobody afterwards", async () => {
    const sent: string[] = [];
    const { other, id } = await pair().start({ send: async (text) => void sent.push(text) }, { inbox: async () => [] });
    const refused = rejection(other.send(id, "x"));
    await pair().clock.advance(5_000);
    expect(await refused).toMatchObject(refusal("unavailable", /did not answer within 5 s, and was not told anything/));
    const { worker } = ((await other.get(id)).state as unknown as { lease: { worker: string } }).lease;
    expect(await pair().store.mail.inbox(worker, 0)).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("that was taken and not answered is not repeated, and the refusal says that it may have been done", async () => {
    let taken = 0;
    const { other, id } = await pair().start({
      send: () => {
        taken++;
        return new Promise(() => undefined);
      },
    });
    const refused = rejection(other.send(id, "x"));
    await until(() => taken === 1);
    await pair().clock.advance(5_000);
    expect(await refused).toMatchObject(refusal("unavailable", /Whether it has done what was asked is not known/));
    await pair().clock.advance(5_000);
    expect(taken).toBe(1);
  });

  it("arrives though its hints are lost", async () => {
    pair().losesHints = true;
    const { other, id } = await pair().start({ inspect: async () => ({ pid: 7 }) });
    const inspected = other.inspect(id);
    await pair().clock.advance(3_000);
    expect(await inspected).toEqual({ pid: 7 });
  });

  it("of an attempt that runs here, or of a job that has ended, needs no letter", async () => {
    let letters = 0;
    const post: MailStore["post"] = async () => void letters++;
    const runner = await pair().open([pair().puppet], { post });
    const { id, attempt } = await pair().puppet.start(runner);
    attempt.context.serve({ inspect: async () => ({ pid: 7 }) });
    expect(await runner.inspect(id)).toEqual({ pid: 7 });
    attempt.succeed();
    await until(async () => (await runner.get(id)).state.status === "succeeded");
    expect(await runner.inspect(id)).toEqual({});
    expect(await rejection(runner.send(id, "x"))).toMatchObject(refusal("conflict", /succeeded/));
    expect(letters).toBe(0);
  });
});
