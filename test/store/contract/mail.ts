import { describe, expect, it } from "vitest";
import type { Letter } from "../../../src/store/mail-store.ts";
import type { Hint } from "../../../src/store/store.ts";
import { until } from "../../until.ts";
import { second, t0, unknownId } from "../drafts.ts";
import { useWorld, type OpenStore } from "../world.ts";

export function describeMail(open: OpenStore): void {
  describe("letters between engines", () => {
    const world = useWorld(open);
    let count = 0;
    const letter = (worker = "w1"): Letter => {
      const id = `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
      return { id, job: unknownId, worker, body: `{"count":${count}}`, expiresAt: t0 + 5 * second };
    };

    it("a letter is taken once, by the worker that it is for, in the order of posting", async () => {
      const { mail } = world().store;
      const [one, two, other] = [letter(), letter(), letter("w2")];
      for (const each of [one, other, two]) await mail.post(each);
      expect(await mail.look(one.id)).toEqual({ type: "waiting" });
      const taken = await Promise.all([mail.inbox("w1", t0), mail.inbox("w1", t0)]);
      expect(taken.flat()).toEqual([one, two]);
      expect(await mail.inbox("w1", t0)).toEqual([]);
      expect(await mail.look(one.id)).toEqual({ type: "taken" });
      expect(await mail.inbox("w2", t0)).toEqual([other]);
    });

    it("a letter whose time is over is taken by nobody", async () => {
      const { mail } = world().store;
      const late = letter();
      await mail.post(late);
      expect(await mail.inbox("w1", late.expiresAt)).toEqual([]);
      expect(await mail.inbox("w1", late.expiresAt + 600 * second)).toEqual([]);
      expect(await mail.look(late.id)).toEqual({ type: "gone" });
    });

    it("the answer to a letter that was taken is found by who posted it, until it is withdrawn", async () => {
      const { mail } = world().store;
      const asked = letter();
      await mail.post(asked);
      await mail.reply(asked.id, "too early");
      expect(await mail.look(asked.id)).toEqual({ type: "waiting" });
      await mail.inbox("w1", t0);
      await mail.reply(asked.id, '"yes"');
      await mail.reply(asked.id, '"no"');
      expect(await mail.look(asked.id)).toEqual({ type: "answered", answer: '"yes"' });
      expect(await mail.withdraw(asked.id)).toEqual({ type: "answered", answer: '"yes"' });
      expect(await mail.look(asked.id)).toEqual({ type: "gone" });
    });

    it("a letter that was withdrawn before anybody took it is taken by nobody", async () => {
      const { mail } = world().store;
      const regretted = letter();
      await mail.post(regretted);
      expect(await mail.withdraw(regretted.id)).toEqual({ type: "waiting" });
      expect(await mail.inbox("w1", t0)).toEqual([]);
      expect(await mail.withdraw(regretted.id)).toEqual({ type: "gone" });
    });

    it("a letter and its answer are hinted at", async () => {
      const { store } = world();
      const hints: Hint[] = [];
      store.subscribe((hint) => hints.push(hint));
      const asked = letter();
      await store.mail.post(asked);
      await until(() => hints.some((hint) => hint.type === "letter-posted" && hint.worker === "w1"));
      await store.mail.inbox("w1", t0);
      await store.mail.reply(asked.id, "null");
      await until(() => hints.some((hint) => hint.type === "letter-answered"));
      expect(hints).toContainEqual({ type: "letter-answered", letter: asked.id });
    });
  });
}
