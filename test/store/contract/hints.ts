import { describe, expect, it } from "vitest";
import type { Hint } from "../../../src/store/store.ts";
import { until } from "../../until.ts";
import { day, t0, unknownId } from "../drafts.ts";
import { outcomes, refusal, useWorld, type OpenStore } from "../world.ts";

export function describeHints(open: OpenStore): void {
  describe("hints", () => {
    const world = useWorld(open);

    const listen = (): Hint[] => {
      const hints: Hint[] = [];
      world().store.subscribe((hint) => hints.push(hint));
      return hints;
    };

    it("a new job is hinted at, and that there may be something to claim", async () => {
      const hints = listen();
      const { id } = await world().submit();
      await until(() => hints.some((hint) => hint.type === "job-ready"));
      await until(() => hints.some((hint) => hint.type === "job-changed" && hint.id === id));
      expect(hints).toContainEqual({ type: "job-changed", id, seq: 1, status: "queued" });
    });

    it("every change of a job is hinted at with its last sequence number and status", async () => {
      const { job, lease } = await world().start();
      const hints = listen();
      await world().store.append(lease, [{ type: "job-active-again" }], t0);
      await world().store.ask(lease, { key: "q", question: { message: "Which?" }, at: t0 });
      await world().store.answer(job.id, { key: "q", answer: { action: "decline" }, at: t0 });
      await world().store.settle(lease, outcomes.succeeded, { now: t0 });
      const expected = [
        [3, "running"],
        [4, "waiting"],
        [5, "running"],
        [6, "succeeded"],
      ];
      const changes = (): unknown[] =>
        hints.flatMap((hint) => (hint.type === "job-changed" && hint.id === job.id ? [[hint.seq, hint.status]] : []));
      await until(() => changes().length >= expected.length);
      expect(changes()).toEqual(expected);
    });

    it("a held job that is asked to cancel is hinted at with the reason", async () => {
      const { job } = await world().start();
      const hints = listen();
      await world().store.cancel(job.id, { reason: "not needed", at: t0 });
      await until(() => hints.some((hint) => hint.type === "cancel-requested"));
      expect(hints).toContainEqual({ type: "cancel-requested", id: job.id, reason: "not needed" });
    });

    it("a job that becomes ready is hinted at, whatever made it so", async () => {
      const interrupted = await world().start({ kind: "a" });
      const needed = await world().start({ kind: "b" });
      await world().submit({ dependsOn: [needed.job.id] });
      const failed = await world().finish("failed", { kind: "c" });
      const causes = [
        () =>
          world().store.settle(interrupted.lease, { type: "interrupted", cause: "test", isLoss: true }, { now: t0 }),
        () => world().store.settle(needed.lease, outcomes.succeeded, { now: t0 }),
        () => world().store.retry(failed.id, { at: t0 }),
        () => world().store.setPaused("work", false),
      ];
      for (const cause of causes) {
        const hints = listen();
        await cause();
        await until(() => hints.some((hint) => hint.type === "job-ready"));
        expect(hints).toContainEqual({ type: "job-ready" });
      }
    });

    it("a hint comes after the commit it speaks of", async () => {
      const { job, lease } = await world().start();
      const { store } = world();
      const seen: { hint: Hint; isThere: boolean }[] = [];
      const looks: Promise<void>[] = [];
      const look = async (hint: Extract<Hint, { type: "job-changed" }>): Promise<void> => {
        const found = await store.get(hint.id);
        seen.push({ hint, isThere: found !== undefined && found.lastSeq >= hint.seq });
      };
      store.subscribe((hint) => {
        if (hint.type === "job-changed") looks.push(look(hint));
      });
      await Promise.all([
        world().submitMany(5),
        store.settle(lease, outcomes.succeeded, { now: t0 }),
        world().claim({ max: 5 }),
      ]);
      await until(() => looks.length >= 6);
      await Promise.all(looks);
      expect(seen.filter(({ isThere }) => !isThere)).toEqual([]);
      expect(seen.map(({ hint }) => hint)).toContainEqual(expect.objectContaining({ id: job.id, status: "succeeded" }));
    });

    it("a job that is removed is hinted at, with whose it was", async () => {
      const removed = await world().finish("failed", { owner: "bob" });
      const purged = await world().finish("succeeded", { kind: "other" });
      const hints = listen();
      await world().store.remove(removed.id, t0);
      await world().store.purge(t0 + 30 * day, 10);
      await until(() => hints.length >= 2);
      expect(hints).toContainEqual({ type: "job-removed", id: removed.id, owner: "bob", kind: "work" });
      expect(hints).toContainEqual({ type: "job-removed", id: purged.id, owner: "ann", kind: "other" });
    });

    it("what was refused is not hinted at", async () => {
      const hints = listen();
      const draft = world().draft();
      const refused = world().store.create([draft, world().draft({ dependsOn: [unknownId] })]);
      const stored = world().submit();
      await expect(refused).rejects.toMatchObject(refusal("not_found"));
      const { id } = await stored;
      await until(() => hints.some((hint) => hint.type === "job-changed" && hint.id === id));
      expect(hints.filter((hint) => "id" in hint && hint.id === draft.spec.id)).toEqual([]);
    });

    it("output that has grown is hinted at", async () => {
      const { job } = await world().start();
      const hints = listen();
      const writer = world().store.output.writer({ id: job.id, attempt: 1, stream: "stdout" });
      writer.append(Buffer.from("more"));
      writer.close();
      await until(() => hints.some((hint) => hint.type === "output-grown"));
      expect(hints).toContainEqual({ type: "output-grown", id: job.id });
    });

    it("a listener that has left hears nothing more, and the others do", async () => {
      const [left, stayed]: [Hint[], Hint[]] = [[], []];
      const leave = world().store.subscribe((hint) => left.push(hint));
      world().store.subscribe((hint) => stayed.push(hint));
      leave();
      leave();
      await world().submit();
      await until(() => stayed.length > 0);
      expect(left).toEqual([]);
    });
  });

  describe("closing", () => {
    const world = useWorld(open);

    it("what was asked for before the store is closed is stored", async () => {
      const draft = world().draft();
      const creating = world().store.create([draft]);
      await world().restart();
      await creating;
      expect(await world().status(draft.spec.id)).toBe("queued");
    });
  });
}
